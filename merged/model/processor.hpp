// SPDX-License-Identifier: Apache-2.0
#pragma once

// The intervals of a merged file in which threads had no processor. FORMAT.md, "Processor".

#include <cstdint>

#include "trace/format/tables/table_column.hpp"

namespace meridian {

inline constexpr const char* kProcessor = "processor";
inline constexpr const char* kProcessorRanks = "processor_ranks";

/// Intervals of a rank follow one another, in order of their end. Short ones are summed: `count` of them within `length_ns`.
struct MergedInterval {
  std::int64_t end_ns = 0;
  std::int64_t length_ns = 0;
  std::int64_t ran_ns = 0;    ///< between the intervals of a sum; 0 for a single one
  std::int32_t location = 0;  ///< in MergedDefinitions::locations
  std::uint32_t count = 1;
  bool is_ready = false;  ///< could have gone on; otherwise it slept

  std::int64_t begin_ns() const noexcept { return end_ns - length_ns; }
  /// Time without a processor.
  std::int64_t away_ns() const noexcept { return length_ns - ran_ns; }
};
inline constexpr Columns kProcessorColumns{
    column<&MergedInterval::end_ns>("end_ns", "ns", "global time"),
    column<&MergedInterval::length_ns>("length_ns", "ns", "since the beginning"),
    column<&MergedInterval::ran_ns>("ran_ns", "ns", "of that with a processor, between summed intervals"),
    column<&MergedInterval::location>("location", "", "thread: row of /threads"),
    column<&MergedInterval::count>("count", "", "intervals; several short ones are summed"),
    column<&MergedInterval::is_ready>("is_ready", "", "1: could have gone on; 0: slept"),
};

struct ProcessorRank {
  std::int32_t rank = 0;
  std::uint64_t first = 0;
  std::uint64_t count = 0;
  std::int64_t longest_ns = 0;
  std::uint64_t lost = 0;
};
inline constexpr Columns kProcessorRankColumns{
    column<&ProcessorRank::rank>("rank", "", "in MPI_COMM_WORLD"),
    column<&ProcessorRank::first>("first", "", "row of /processor"),
    column<&ProcessorRank::count>("count", "", "intervals, which follow one another"),
    column<&ProcessorRank::longest_ns>("longest_ns", "ns", "most length_ns of these"),
    column<&ProcessorRank::lost>("lost", "", "switches that the kernel dropped: their intervals are missing"),
};

}  // namespace meridian
