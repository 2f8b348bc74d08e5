// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "merger/repair/repair_tables.hpp"

namespace meridian {

/// Spreads each jump over the time before it: going back from a call that was moved, the move decreases by one part in
/// 100 of the time. A send or an enter of a collective is never moved past what must follow it; what precedes it then
/// moves no farther. Changes tables.moved, which replay_forward() has filled.
void ramp_backward(RepairTables& tables, const std::vector<bool>& is_chain_moved);

}  // namespace meridian
