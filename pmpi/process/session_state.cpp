// SPDX-License-Identifier: Apache-2.0
#include "pmpi/process/session_state.hpp"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

namespace meridian {

Session g_session;

void say(const char* format, ...) noexcept {
  char line[kPathBytes + 512];
  va_list args;
  va_start(args, format);
  int length = snprintf(line, sizeof line, "meridian: ");
  length += vsnprintf(line + length, sizeof line - static_cast<std::size_t>(length) - 1, format, args);
  va_end(args);
  if (length > static_cast<int>(sizeof line) - 2) length = static_cast<int>(sizeof line) - 2;
  line[length] = '\n';
  const ssize_t ignored = write(STDERR_FILENO, line, static_cast<std::size_t>(length) + 1);
  static_cast<void>(ignored);
}

void count_loss(Loss cause) noexcept {
  if (g_session.ring != nullptr)
    g_session.ring->losses[static_cast<std::size_t>(cause)].fetch_add(1, std::memory_order_relaxed);
}

}  // namespace meridian
