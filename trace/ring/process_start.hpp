// SPDX-License-Identifier: Apache-2.0
#pragma once

// Whether a process is running. Needs only libc: the tracer checks its writer, all other programs the traced program.

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cstdint>

namespace meridian {

/// Field 22 of /proc/PID/stat: start time of the process in clock ticks since boot, which identifies a reused pid. 0 if
/// there is no such process, it is a zombie (errno is then ESRCH), or the information is not available.
inline std::uint64_t process_start(std::int32_t pid) noexcept {
  char text[1024];
  snprintf(text, sizeof text, "/proc/%d/stat", pid);
  const int fd = open(text, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  const ssize_t got = read(fd, text, sizeof text - 1);
  const int error = errno;
  close(fd);
  errno = got < 0 ? error : ESRCH;
  if (got <= 0) return 0;
  text[got] = '\0';
  const char* field = strrchr(text, ')');  // the command may contain blanks and parentheses
  if (field == nullptr || field[1] == '\0' || field[2] == 'Z' || field[2] == 'X') return 0;
  for (int i = 2; field != nullptr && i < 22; ++i) field = strchr(field + 1, ' ');
  return field != nullptr ? strtoull(field, nullptr, 10) : 0;
}

/// Whether the process that began at `start` is still running. Without descriptors or /proc only the pid is checked.
inline bool is_running(std::int32_t pid, std::uint64_t start) noexcept {
  if (pid <= 0 || (kill(pid, 0) != 0 && errno == ESRCH)) return false;
  const std::uint64_t now = process_start(pid);
  return now != 0 ? now == start : errno != ESRCH;
}

}  // namespace meridian
