// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "merger/match/calls/object_totals.hpp"
#include "merger/match/calls/value_totals.hpp"
#include "merger/match/collectives/match_collectives.hpp"
#include "merger/match/locks/lock_order.hpp"
#include "merger/match/locks/lock_table.hpp"
#include "merger/match/messages/match_messages.hpp"
#include "merger/model/findings.hpp"
#include "merger/model/sinks.hpp"
#include "merger/model/trace.hpp"
#include "trace/model/result.hpp"

namespace meridian {

struct Matched {
  MessageTotals messages;
  CollectiveTotals collectives;
  MessageTotals user_messages;
  std::vector<ValueTotals> counters;  ///< [UserDefinitions::list]
  ObjectTotals objects;
  std::vector<WindowLockSummary> window_locks;
  std::vector<LockTable> locks;        ///< [files]
  std::vector<LockOrder> lock_orders;  ///< [files]
  std::uint64_t reversed() const noexcept { return messages.reversed + collectives.reversed + user_messages.reversed; }
};

enum class MatchUntil { end, reversed };

/// Replays all ranks together in order of global time and pairs messages and collectives by identity.
///
/// sinks     receive every call's row in global order (time, rank, thread, sequence) on the clocks, every message,
///           and every part of a collective. A sink may be empty.
/// until     reversed: returns soon after the first reversed message or collective, with an incomplete result.
/// Memory is proportional to ranks, threads, channels and open requests, not to the length of the trace.
Result<Matched> match(Trace& trace, MatchUntil until, const MatchSinks& sinks, Findings& findings,
                      const CallCounter& counter);

}  // namespace meridian
