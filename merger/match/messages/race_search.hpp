// SPDX-License-Identifier: Apache-2.0
#pragma once

// The order of messages on a channel that several threads use at the same time. MPI orders the calls of one thread;
// those of different threads may have taken effect in any order if they overlap. An order is possible if every message
// has the size that was received, and was sent before it was received.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "merger/match/messages/channel.hpp"

namespace meridian {

struct RacingSend {
  CallSpan span;
  std::int64_t enter_ns = 0;
  std::uint64_t bytes = 0;  ///< kUnknownBytes: unknown
};

struct RacingReceive {
  CallSpan span;              ///< of the call that posted it
  std::int64_t leave_ns = 0;  ///< of the call that found it complete; the greatest number: unknown
  std::int64_t bytes = 0;     ///< negative: unknown
  bool is_open = false;       ///< not complete: it comes last among those that may come next
  bool has_failed = false;    ///< it may have been too short for its message
};

/// The k-th message is sent by sends[k] and received by receives[k].
struct RaceOrder {
  std::vector<std::uint32_t> sends;
  std::vector<std::uint32_t> receives;
  bool is_possible = true;
};

/// Finds the order of the first `count` messages by a depth-first search that returns from dead ends and visits no state
/// twice. If there is no possible order, or it is not found after some steps for each message, the calls of different
/// threads are reordered although they do not overlap (to MPI they are concurrent), and what still does not fit is paired
/// in the order of the calls.
///
/// sends, receives  by enter; at least `count` of each. More of them take part in the choice, and remain.
/// has_one_clock    both ranks read the same clock: a receive cannot end before its send has begun
RaceOrder find_race_order(std::span<const RacingSend> sends, std::span<const RacingReceive> receives, std::size_t count,
                          bool has_one_clock);

}  // namespace meridian
