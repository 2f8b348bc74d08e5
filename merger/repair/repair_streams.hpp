// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "merger/repair/repair_causality.hpp"
#include "merger/repair/repair_tables.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// repair_causality(), once the times of all calls are known.
Result<Repaired> repair_streams(RepairInput input, TempSpool<MatchedMessage>& messages,
                                TempSpool<CollectivePart>& collectives, const std::shared_ptr<TempFile>& scratch);

}  // namespace meridian
