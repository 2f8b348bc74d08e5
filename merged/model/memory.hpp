// SPDX-License-Identifier: Apache-2.0
#pragma once

// The memory of the processes of a merged file over time. FORMAT.md, "Memory".

#include <cstdint>

#include "trace/format/tables/table_column.hpp"

namespace meridian {

inline constexpr const char* kMemory = "memory";
inline constexpr const char* kMemoryRanks = "memory_ranks";

/// What the kernel counted of a process. Readings of a rank follow one another, in order of time.
struct MergedMemory {
  std::int64_t time_ns = 0;
  std::uint64_t resident_bytes = 0;
  std::uint64_t peak_bytes = 0;
  std::uint64_t swapped_bytes = 0;
  std::uint64_t minor_faults = 0;
  std::uint64_t major_faults = 0;

  friend bool operator==(const MergedMemory&, const MergedMemory&) = default;
};
inline constexpr Columns kMemoryColumns{
    column<&MergedMemory::time_ns>("time_ns", "ns", "global time"),
    column<&MergedMemory::resident_bytes>("resident_bytes", "bytes", "resident memory of the process"),
    column<&MergedMemory::peak_bytes>("peak_bytes", "bytes", "most that was resident since the process began"),
    column<&MergedMemory::swapped_bytes>("swapped_bytes", "bytes", "moved to swap space"),
    column<&MergedMemory::minor_faults>("minor_faults", "", "page faults without I/O since the process began"),
    column<&MergedMemory::major_faults>("major_faults", "", "page faults with I/O since the process began"),
};

struct MemoryRank {
  std::int32_t rank = 0;
  std::uint64_t first = 0;
  std::uint64_t count = 0;
};
inline constexpr Columns kMemoryRankColumns{
    column<&MemoryRank::rank>("rank", "", "in MPI_COMM_WORLD"),
    column<&MemoryRank::first>("first", "", "row of /memory"),
    column<&MemoryRank::count>("count", "", "readings, which follow one another"),
};

}  // namespace meridian
