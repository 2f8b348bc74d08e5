// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "merged/merged_trace.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// Bins of time in which counters are added up.
inline constexpr std::size_t kCounterBins = 256;

/// The calls with counters of a thread.
struct CountedCalls {
  std::uint64_t first = 0;  ///< row of the first event
  std::uint64_t count = 0;
};

/// What page_counters() knows of the events.
struct CounterInput {
  std::span<const std::uint64_t> first_rows;  ///< [bin]: the first event that begins in the bin or later
  std::int64_t bin_ns = 1;
  std::span<const CountedCalls> calls;    ///< [location]
  std::span<const std::uint32_t> row_of;  ///< [location]: its row of the page, or kNoRow
  std::size_t rows = 0;                   ///< of the page
};

/// How much each counter grew in bins of time, over all threads and in each row: in a call at its beginning, between calls evenly.
/// docs/REPORT.md has the format; empty if there are no counters.
///
/// errors  damaged; io
Result<nlohmann::ordered_json> page_counters(const MergedTrace& trace, const CounterInput& events);

}  // namespace meridian
