// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "merger/model/clocks.hpp"
#include "merger/repair/repair_tables.hpp"

namespace meridian {

/// Spreads each jump over the time before it: backwards from a moved call, the move shrinks by 1/100 of the elapsed
/// time. A send or the enter of a collective is never moved past an event that must follow it, and it limits the moves
/// of all events before it; so does the bound of an event (T1). Changes tables.moved, which replay_forward() has filled.
void ramp_backward(RepairTables& tables, const Clocks& clocks, const std::vector<bool>& is_chain_moved);

}  // namespace meridian
