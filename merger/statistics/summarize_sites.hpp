// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where time goes: by the place of a call, and by the way to it.

#include <cstdint>
#include <span>
#include <vector>

#include "merger/model/sinks.hpp"
#include "merger/model/trace.hpp"
#include "merger/sites/debug_info.hpp"
#include "merger/statistics/compute_statistics.hpp"
#include "summary/summary.hpp"

namespace meridian {

/// places  of the call sites, by number.
std::vector<SiteSummary> summarize_sites(const Trace& trace, const Statistics& statistics,
                                         std::span<const SourcePlace> places);

/// Fills in paths and path_frames.
void summarize_paths(const Trace& trace, const Statistics& statistics, std::span<const SourcePlace> places,
                     Summary& summary);

/// Calls of which not all callers are known, though they were to be recorded.
std::uint64_t calls_with_lost_callers(const Trace& trace, const Statistics& statistics);

}  // namespace meridian
