// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "merger/match/locks/lock_order.hpp"
#include "merger/model/findings.hpp"
#include "merger/model/trace.hpp"
#include "merger/sites/debug_info.hpp"

namespace meridian {

/// A finding for each cycle of locks.
///
/// orders  [files]
/// places  of the call sites, by index
void report_lock_orders(const Trace& trace, std::span<const LockOrder> orders, std::span<const SourcePlace> places,
                        Findings& findings);

}  // namespace meridian
