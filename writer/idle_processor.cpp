// SPDX-License-Identifier: Apache-2.0
#include "writer/idle_processor.hpp"

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>

#include "trace/ring/ring_file.hpp"

namespace meridian {

bool has_idle_processor() noexcept {
  const Descriptor file{::open("/proc/loadavg", O_RDONLY | O_CLOEXEC)};
  if (!file) return false;
  char text[128] = {};
  const ssize_t length = ::read(file.get(), text, sizeof text - 1);
  if (length <= 0) return false;
  int running = 0;
  if (std::sscanf(text, "%*s %*s %*s %d/", &running) != 1) return false;
  cpu_set_t usable;
  if (::sched_getaffinity(0, sizeof usable, &usable) != 0) return false;  // more than 1024 processors
  return running <= CPU_COUNT(&usable);
}

}  // namespace meridian
