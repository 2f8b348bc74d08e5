// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstdint>

namespace meridian {

// For words of the ring file, which several processes map: never private futexes.

/// Sleeps while `word` holds `expected`; may return early.
inline void futex_wait(const std::atomic<std::uint32_t>& word, std::uint32_t expected) noexcept {
  syscall(SYS_futex, &word, FUTEX_WAIT, expected, nullptr, nullptr, 0);
}

/// The same, for at most `timeout_ns`.
inline void futex_wait(const std::atomic<std::uint32_t>& word, std::uint32_t expected,
                       std::uint64_t timeout_ns) noexcept {
  const timespec timeout{static_cast<time_t>(timeout_ns / 1'000'000'000u),
                         static_cast<long>(timeout_ns % 1'000'000'000u)};
  syscall(SYS_futex, &word, FUTEX_WAIT, expected, &timeout, nullptr, 0);
}

inline void futex_wake_all(const std::atomic<std::uint32_t>& word) noexcept {
  syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace meridian
