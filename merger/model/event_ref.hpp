// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>

#include "merged/model/event_waits.hpp"
#include "trace/model/call_facts.hpp"

namespace meridian {

/// One call in the trace: the event-th (from 0) of a thread of a rank.
struct EventRef {
  std::int32_t rank = 0;
  std::uint32_t thread = 0;
  std::uint64_t event = 0;
  friend constexpr auto operator<=>(const EventRef&, const EventRef&) = default;
};

/// A message with both its ends. Times are global ns.
struct MatchedMessage {
  EventRef send;        ///< the call that sent it or started the send request
  EventRef post;        ///< the receive call, or the call that started the receive request
  EventRef completion;  ///< the call that found the receive complete; equals post for a blocking receive
  std::uint32_t comm = 0;
  std::int32_t tag = 0;
  std::uint64_t bytes = 0;
  std::int64_t send_enter_ns = 0;
  std::int64_t post_enter_ns = 0;
  std::int64_t receive_leave_ns = 0;  ///< leave of `completion`; at least send_enter_ns + 1 in the output
  bool is_ambiguous = false;          ///< threads raced for it, so that the pair is a guess
};

/// A call that waited for another one if it was in progress when that one began, or let go: a row of /awaited.
struct AwaitedCall {
  EventRef call;
  EventRef causer;  ///< `call` itself: unknown
  WaitKind kind{};
};

/// One participant of one instance of a collective.
struct CollectivePart {
  std::uint64_t instance = 0;  ///< index of the collective in the trace
  std::uint32_t comm = 0;
  CollectiveShape shape{};
  std::int32_t comm_rank = 0;  ///< of this participant
  std::int32_t root = -1;      ///< in the communicator; -1: none
  std::int32_t parts = 0;      ///< participants of the instance that are in the trace
  std::uint8_t side = 0;       ///< intercommunicators: the group of this participant; a group waits for the other
  bool is_awaited = false;     ///< exits of the other group that wait must follow this enter
  bool waits = false;          ///< its exit must follow enters of the other group
  EventRef start;              ///< the call that entered it
  EventRef completion;         ///< the call that left it; equals start when blocking
  std::int64_t enter_ns = 0;
  std::int64_t leave_ns = 0;
};

}  // namespace meridian
