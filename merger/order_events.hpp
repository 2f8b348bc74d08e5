#pragma once

#include "merger/match/match.hpp"
#include "merger/repair/repair_causality.hpp"

namespace meridian {

/// Gives every call's row away in global order (time, rank, thread, sequence), with the times that repair_causality
/// gave the call. What the rows say besides is found out by following each rank in the order in which it recorded.
///
/// times  of every thread; empty: as the clocks say.
Status order_events(Trace& trace, std::vector<StreamTimes>& times, const RowSink& rows, const CallCounter& counter);

}  // namespace meridian
