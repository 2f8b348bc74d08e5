// SPDX-License-Identifier: Apache-2.0
#pragma once

// Time by call site and by call path.

#include <cstdint>
#include <span>
#include <vector>

#include "merger/model/sinks.hpp"
#include "merger/model/trace.hpp"
#include "merger/sites/debug_info.hpp"
#include "merger/statistics/compute_statistics.hpp"
#include "summary/summary.hpp"

namespace meridian {

/// places  of the call sites, by index.
std::vector<SiteSummary> summarize_sites(const Trace& trace, const Statistics& statistics,
                                         std::span<const SourcePlace> places);

/// Fills in paths and path_frames.
void summarize_paths(const Trace& trace, const Statistics& statistics, std::span<const SourcePlace> places,
                     Summary& summary);

/// Number of calls with unknown callers although stacks were recorded.
std::uint64_t calls_with_lost_callers(const Trace& trace, const Statistics& statistics);

}  // namespace meridian
