// SPDX-License-Identifier: Apache-2.0
#pragma once

// Two ranks with MPI_COMM_WORLD between them, and what the trackers of each need: calls are made by hand.

#include <gtest/gtest.h>

#include <deque>
#include <string>
#include <vector>

#include "merger/match/calls/call_tracker.hpp"

namespace meridian::test {

inline constexpr std::uint64_t kWorld = 0x44;  // its handle

/// A call with its rows.
struct MadeCall {
  Call call;
  std::vector<PointToPoint> p2p;
  Collective coll;
  std::vector<Completion> completions;

  MadeCall(CallId id, Payload payload, std::uint64_t enter, std::uint64_t leave) {
    call.call = id;
    call.payload = payload;
    call.event = enter;
    call.enter_ticks = enter;
    call.leave_ticks = leave;
  }
  MadeCall(const MadeCall&) = delete;
  MadeCall& operator=(const MadeCall&) = delete;
};

class TwoRanks : public testing::Test {
 protected:
  /// A call whose pointers stay valid.
  Call& make(CallId id, Payload payload, std::uint64_t enter, std::uint64_t leave, std::vector<PointToPoint> p2p = {},
             std::vector<Completion> completions = {}, std::uint8_t flags = 0) {
    MadeCall& made = made_.emplace_back(id, payload, enter, leave);
    made.p2p = std::move(p2p);
    made.completions = std::move(completions);
    made.call.p2p = made.p2p.data();
    made.call.coll = &made.coll;
    made.call.completions = made.completions.data();
    made.call.completion_count = static_cast<std::uint32_t>(made.completions.size());
    made.call.flags = flags;
    return made.call;
  }
  /// 4 elements of 2 bytes.
  static PointToPoint side(std::int32_t peer, std::int32_t tag, std::uint64_t request = 0) {
    return {.comm = kWorld, .peer = peer, .tag = tag, .count = 4, .type_size = 2, .request = request};
  }

  /// Has the tracker of a rank take a whole call.
  EventRow take(std::uint32_t rank, const Call& call) {
    const EventRow row = trackers_[rank].enter(call, 0);
    trackers_[rank].leave(call, 0);
    return row;
  }

  /// "10>20": the message of the call that began at 10 of rank 0 was received in the one at 20 of rank 1.
  std::vector<std::string> messages() const {
    std::vector<std::string> all;
    for (const MatchedMessage& message : messages_)
      all.push_back(std::to_string(message.send.event) + ">" + std::to_string(message.completion.event));
    return all;
  }
  using Texts = std::vector<std::string>;

  /// After the last call of both ranks.
  MessageTotals end() {
    for (std::uint32_t rank = 0; rank < 2; ++rank) {
      trackers_[rank].end();
      matcher_.end_rank(rank);
      collectives_.end_rank(rank);
    }
    collective_totals_ = collectives_.finish();
    return matcher_.finish();
  }

  RankContext context(std::uint32_t rank) {
    RankContext at;
    at.rank_index = rank;
    at.rank = static_cast<std::int32_t>(rank);
    at.threads = 1;
    at.communicators = &communicators_;
    at.resolver = &resolvers_[rank];
    at.findings = &findings_;
    at.matchers = &matchers_;
    at.gaps = &gaps_[rank];
    return at;
  }

  static CommResolver resolver(std::int32_t rank, const Group& group) {
    LocalComm world;
    world.rank = rank;
    world.own = world.peers = &group;
    return CommResolver{{{.handle = kWorld, .comm = world}}};
  }

  const Group group_{0, 1};
  std::vector<Communicator> communicators_{{.kind = CommKind::world, .name = "MPI_COMM_WORLD", .group = 0}};
  std::vector<CommResolver> resolvers_{resolver(0, group_), resolver(1, group_)};
  RecordingGaps gaps_[2];
  Findings findings_;
  std::vector<MatchedMessage> messages_;
  std::vector<MatchedMessage> user_messages_;
  std::vector<CollectivePart> parts_;
  MessageMatcher matcher_{{0, 1}, {1, 1}, messages_, findings_};
  MessageMatcher user_matcher_{{0, 1}, {1, 1}, user_messages_, findings_};
  CollectiveMatcher collectives_{resolvers_, 1, parts_, findings_};
  CollectiveTotals collective_totals_;
  std::vector<ValueTotals> counters_;
  ObjectTotals objects_;
  const Trace trace_{};
  std::vector<AwaitedCall> awaited_;
  WindowWaits windows_{trace_, awaited_};
  FileWaits files_{trace_, awaited_};
  Matchers matchers_{matcher_, collectives_, user_matcher_, counters_, objects_, windows_, files_};
  std::deque<MadeCall> made_;

 public:
  TwoRanks() {
    for (std::uint32_t rank = 0; rank < 2; ++rank) trackers_.emplace_back(context(rank));
  }

 protected:
  std::deque<CallTracker> trackers_;
};

}  // namespace meridian::test
