// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "merged/model/clock_report.hpp"
#include "merger/model/clocks.hpp"
#include "merger/model/sinks.hpp"
#include "merger/model/trace.hpp"
#include "trace/model/result.hpp"

namespace meridian {

struct ClockPass {
  std::vector<ClockModelSummary> models;  ///< empty if all ranks share one clock
  ClockReport report;                     ///< likewise
  bool is_split = false;                  ///< ranks of one domain got separate clocks
};

/// Fits the clocks of a trace with several domains. Reads the trace once on the first lines, which are in trace.clocks,
/// to collect samples, and replaces them by the clocks of the chosen model. Ranks whose messages show that they do not
/// share the clock that they name get separate clocks first. If all ranks share one clock, nothing is read unless
/// `is_doubtful`, because messages were found reversed.
///
/// scratch  directory for temporary data, 24 bytes per message between domains
/// errors   io; those of fit_clocks()
Result<ClockPass> fit_trace_clocks(Trace& trace, const ClockOptions& options, bool is_doubtful,
                                   const std::filesystem::path& scratch, const CallCounter& counter);

}  // namespace meridian
