#pragma once

#include <filesystem>
#include <vector>

#include "merger/clocks/clock_report.hpp"
#include "merger/match/match.hpp"

namespace meridian {

struct ClockPass {
  std::vector<ClockModelSummary> models;  ///< empty where all ranks share one clock
  ClockReport report;                     ///< the same
  bool is_split = false;                  ///< ranks of one domain got clocks of their own
};

/// Puts the clocks of a trace with several domains in order: replays it on the first lines, which are in
/// trace.clocks, for what its messages say, and leaves there the clocks of the model that was asked for. Ranks whose
/// messages show that they do not share the clock that they name are told apart first. Where all share one clock,
/// nothing is read unless `is_doubtful`, because messages were found reversed.
///
/// scratch  directory for what the pass needs meanwhile, 24 bytes a message between domains.
/// errors   io; what fit_clocks() says.
Result<ClockPass> fit_trace_clocks(Trace& trace, const ClockOptions& options, bool is_doubtful,
                                   const std::filesystem::path& scratch, const CallCounter& counter);

}  // namespace meridian
