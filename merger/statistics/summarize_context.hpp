#pragma once

#include "merger/match/match.hpp"
#include "trace/format/summary.hpp"

namespace meridian {

/// Fills in what the rank files say of the programs' surroundings: context, usage, environment.
void summarize_context(const Trace& trace, Summary& summary);

}  // namespace meridian
