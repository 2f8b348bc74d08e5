// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

namespace meridian {

/// What the kernel counts of the memory of a process (/proc/PID/status, /proc/PID/stat). The kernel adds up the pages of each processor now
/// and then, so that bytes may be wrong by some hundred KiB for each thread.
struct MemoryUse {
  std::uint64_t resident_bytes = 0;
  std::uint64_t peak_bytes = 0;     ///< most that was resident since the process began; at least `resident_bytes`
  std::uint64_t swapped_bytes = 0;  ///< moved to swap space
  std::uint64_t minor_faults = 0;   ///< since the process began, of all threads
  std::uint64_t major_faults = 0;   ///< of these, those that waited for a device
};

/// nullopt: the process has ended, or the kernel counts nothing.
std::optional<MemoryUse> memory_use(std::int32_t pid) noexcept;

}  // namespace meridian
