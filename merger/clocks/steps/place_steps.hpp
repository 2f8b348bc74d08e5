// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "merger/clocks/samples/clock_correction.hpp"
#include "merger/model/sinks.hpp"
#include "merger/model/trace.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// Puts each clock step between two ends of calls: after all that messages and collectives place before it, before all
/// that they place after it, outside calls where they allow it, and there into the longest pause of all ranks that share
/// the clock; of a clock that was set forwards, into one that is as long as the step. Where times occur twice, the step
/// comes after the last stamp that is certainly from before it: what happened after it may seem too early, and the
/// repair, which moves events forward only, corrects that.
///
/// Matches the trace on the first lines, which trace.clocks must contain, and reads the ranks of these clocks once more.
/// errors  io
Status place_steps(Trace& trace, ClockCorrection& correction, const CallCounter& counter);

}  // namespace meridian
