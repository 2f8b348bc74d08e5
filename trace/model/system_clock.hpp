// SPDX-License-Identifier: Apache-2.0
#pragma once

// The system's clocks in nanoseconds.

#include <time.h>

#include <cstdint>

namespace meridian {

/// `clock`: CLOCK_REALTIME, CLOCK_MONOTONIC... Async-signal-safe; 0 if the system has no such clock.
inline std::int64_t system_clock_ns(clockid_t clock) noexcept {
  timespec now{};
  if (::clock_gettime(clock, &now) != 0) return 0;
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

/// Of CLOCK_MONOTONIC.
inline std::int64_t monotonic_now_ns() noexcept { return system_clock_ns(CLOCK_MONOTONIC); }

}  // namespace meridian
