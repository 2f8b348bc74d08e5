// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "merger/match/match.hpp"
#include "merger/model/findings.hpp"
#include "merger/model/trace.hpp"
#include "merger/sites/debug_info.hpp"
#include "merger/statistics/compute_statistics.hpp"
#include "merger/statistics/user_statistics.hpp"

namespace meridian {

/// Makes the summary of a run from the results of the passes.
///
/// places          of the call sites, by index.
/// trace_bytes     of the rank files.
/// reversed_after  messages and collectives that are still out of order.
Summary summarize(const Trace& trace, const Matched& matched, const Statistics& statistics, const UserStatistics& user,
                  std::span<const SourcePlace> places, const Findings& findings, std::uint64_t trace_bytes,
                  std::uint64_t reversed_after);

}  // namespace meridian
