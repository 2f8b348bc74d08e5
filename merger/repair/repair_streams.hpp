// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "merger/repair/repair_causality.hpp"
#include "merger/repair/repair_tables.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// The second half of repair_causality(), with the times of all calls known. `clocks` gives the knots of Repaired::moves_ns.
Result<Repaired> repair_streams(RepairInput input, const Clocks& clocks, TempSpool<MatchedMessage>& messages,
                                TempSpool<CollectivePart>& collectives, const std::shared_ptr<TempFile>& scratch);

}  // namespace meridian
