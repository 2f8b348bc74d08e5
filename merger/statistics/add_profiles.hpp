// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "merger/match/match.hpp"
#include "merger/model/trace.hpp"
#include "merger/statistics/comm_statistics.hpp"
#include "merger/statistics/compute_statistics.hpp"
#include "summary/summary.hpp"

namespace meridian {

/// Adds the sums that ranks recorded in place of calls (RankProfile): to the statistics, to the messages, collectives, files and
/// windows in `matched`, whose messages are counted at their senders, and to the call sites of the trace.
void add_profiles(Trace& trace, Matched& matched, Statistics& statistics, CommStatistics& comms);

/// The rows of Summary::communication_sizes from these sums; empty without any.
std::vector<SizeSummary> profiled_sizes(const Trace& trace);

}  // namespace meridian
