// SPDX-License-Identifier: Apache-2.0
#pragma once

// The memory of a rank's process over time, as the kernel counts it. Events do not refer to it: it has a reader of its own.

#include <cstdint>

#include "trace/format/rank/row_table.hpp"

namespace meridian {

/// What the kernel counted of the process at one time. Faults are those since the process began.
struct MemoryRow {
  std::uint64_t ticks = 0;
  std::uint64_t resident_bytes = 0;
  std::uint64_t peak_bytes = 0;     ///< most that was resident until then
  std::uint64_t swapped_bytes = 0;  ///< moved to swap space
  std::uint64_t minor_faults = 0;   ///< without reading from a device
  std::uint64_t major_faults = 0;   ///< that waited for a device

  friend bool operator==(const MemoryRow&, const MemoryRow&) = default;
  /// Whether a process can have that much memory: sums of a few such numbers do not overflow.
  bool is_valid() const noexcept {
    constexpr std::uint64_t kMost = std::uint64_t{1} << 56;
    return resident_bytes < kMost && peak_bytes < kMost && swapped_bytes < kMost && minor_faults < kMost &&
           major_faults < kMost;
  }
};

/// The readings of a rank, in order of time: one that is not valid is damage.
using MemoryTableWriter = RowTableWriter<MemoryRow>;
using MemoryTable = RowTable<MemoryRow>;

}  // namespace meridian
