// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "merger/model/sinks.hpp"
#include "merger/model/trace.hpp"
#include "merger/repair/repair_causality.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// Passes on every call's row in global order (time, rank, thread, sequence), with the repaired times. The other fields
/// of each row come from replaying each rank in the order of its recording.
///
/// times  of every thread; empty: those of the clocks.
Status order_events(Trace& trace, std::vector<StreamTimes>& times, const RowSink& rows, const CallCounter& counter);

}  // namespace meridian
