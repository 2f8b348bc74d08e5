// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "merger/match/match.hpp"
#include "merger/model/findings.hpp"
#include "merger/model/trace.hpp"
#include "merger/sites/debug_info.hpp"
#include "merger/statistics/compute_statistics.hpp"
#include "merger/statistics/user_statistics.hpp"

namespace meridian {

/// Rows of Summary::overhead that follow from the number of calls.
inline constexpr std::string_view kRecordedCalls = "MPI calls", kReadCounters = "reading counters",
                                  kRecordedPolls = "polls", kRecordedOthers = "other calls";
/// Calls of each class that costs the tracer a different time.
struct RecordedCalls {
  std::uint64_t calls = 0;  ///< of MPI, without polls
  std::uint64_t polls = 0;
  std::uint64_t others = 0;
};
RecordedCalls count_recorded(std::span<const FunctionSummary> functions);

/// Makes the summary of a run from the results of the passes.
///
/// places          of the call sites, by index.
/// trace_bytes     of the rank files.
/// reversed_after  messages and collectives that are still out of order.
Summary summarize(const Trace& trace, const Matched& matched, const Statistics& statistics, const UserStatistics& user,
                  std::span<const SourcePlace> places, const Findings& findings, std::uint64_t trace_bytes,
                  std::uint64_t reversed_after);

}  // namespace meridian
