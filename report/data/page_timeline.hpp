// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <nlohmann/json.hpp>

#include "merged/merged_trace.hpp"
#include "summary/summary.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// What a page may hold. The defaults keep it below 5 MB.
struct PageBudget {
  std::size_t rows = 128;          ///< threads, or groups of them
  std::size_t cells = 262'144;     ///< rows x bins
  std::size_t bins = 8192;         ///< of a row
  std::uint64_t events = 120'000;  ///< one by one
  std::size_t regions = 20'000;    ///< instances of user regions, the longest ones
};

/// Receives the share of the work that is done, 0 to 1.
using PageProgress = std::function<void(double fraction)>;

struct TimelineRows;

/// The timeline of a trace: its rows, what they did in bins of time, the events of chosen windows, regions, the longest wait of
/// each kind and place, the longest calls, clocks, and who sends to whom. docs/REPORT.md has the format. Memory is bounded by
/// the budget and the number of threads.
///
/// errors  damaged; io
Result<nlohmann::ordered_json> page_timeline(const MergedTrace& trace, const Summary& summary, const TimelineRows& rows,
                                             const PageBudget& budget, const PageProgress& progress);

}  // namespace meridian
