// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "merger/match/calls/collective_tracker.hpp"
#include "merger/match/calls/message_tracker.hpp"
#include "merger/match/calls/rank_context.hpp"
#include "merger/match/calls/recorded_sides.hpp"
#include "merger/match/calls/request_tracker.hpp"
#include "merger/match/calls/user_tracker.hpp"

namespace meridian {

/// Makes the row of each call of one rank, and passes the call to the tracker of its kind. Call enter() and leave() for
/// every call, in the order of RankCursor.
class CallTracker {
 public:
  explicit CallTracker(const RankContext& context) : at_{context}, pending_(context.threads) {}
  CallTracker(const CallTracker&) = delete;  // its parts refer to each other
  CallTracker& operator=(const CallTracker&) = delete;

  EventRow enter(const Call& call, std::uint32_t thread_index);
  void leave(const Call& call, std::uint32_t thread_index);
  /// Continues after dropped calls. Call for all ranks before the first call, then begin() of the matchers.
  void begin_after(const RankMeta& meta);
  /// Call after the last call of the rank.
  void end() { requests_.end(); }

 private:
  void add_before(const OpenRequestRow& row, CallId call, const LocalComm& comm);
  void enter_other(const Call& call, const CallFacts& what, EventRow& row);

  RankContext at_;
  std::vector<Pending> pending_;  // [thread]
  RecordedSides sides_{at_};
  RequestTracker requests_{at_, sides_};
  MessageTracker messages_{at_, sides_, requests_};
  CollectiveTracker collectives_{at_, sides_, requests_};
  UserTracker user_{at_, sides_};
};

}  // namespace meridian
