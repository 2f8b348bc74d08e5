// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

namespace meridian {

/// What the kernel has counted of a thread since it began (/proc/PID/task/TID/schedstat).
struct ScheduleCounts {
  std::uint64_t ran_ns = 0;    ///< processor time
  std::uint64_t ready_ns = 0;  ///< without a processor although it could go on
  std::uint64_t switches = 0;  ///< times that it got a processor
};

/// nullopt: the thread has ended, or the kernel counts nothing.
std::optional<ScheduleCounts> schedule_counts(std::int32_t pid, std::int32_t kernel_tid) noexcept;

}  // namespace meridian
