// SPDX-License-Identifier: Apache-2.0
#include "writer/samples/schedule_counts.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cinttypes>
#include <cstddef>
#include <cstdio>

#include "trace/ring/ring_file.hpp"

namespace meridian {

std::optional<ScheduleCounts> schedule_counts(std::int32_t pid, std::int32_t kernel_tid) noexcept {
  char text[128] = {};
  std::snprintf(text, sizeof text, "/proc/%" PRId32 "/task/%" PRId32 "/schedstat", pid, kernel_tid);
  const Descriptor file{::open(text, O_RDONLY | O_CLOEXEC)};
  if (!file) return std::nullopt;
  const ssize_t length = ::read(file.get(), text, sizeof text - 1);
  if (length <= 0) return std::nullopt;
  text[static_cast<std::size_t>(length)] = '\0';
  ScheduleCounts counts;
  if (std::sscanf(text, "%" SCNu64 " %" SCNu64 " %" SCNu64, &counts.ran_ns, &counts.ready_ns, &counts.switches) != 3 ||
      counts.switches == 0)
    return std::nullopt;
  return counts;
}

}  // namespace meridian
