// SPDX-License-Identifier: Apache-2.0
// The trackers of one rank: rows of its calls, messages, collectives, and what recording has left out.

#include "two_ranks.hpp"

namespace meridian {
namespace {

using namespace test;

class Trackers : public TwoRanks {};

TEST_F(Trackers, ASendAndAReceiveBecomeAMessage) {
  const EventRow sent = take(0, make(CallId::Send, Payload::p2p, 10, 20, {side(1, 7)}));
  const EventRow received = take(1, make(CallId::Recv, Payload::p2p, 15, 30, {side(0, 7)}, {{0, 0, 7, 6}}));
  EXPECT_EQ(sent.peer, 1);
  EXPECT_EQ(sent.tag, 7);
  EXPECT_EQ(sent.comm, 0u);
  EXPECT_EQ(sent.bytes_sent, 8u);
  EXPECT_EQ(received.bytes_received, 6u);
  EXPECT_EQ(messages(), (Texts{"10>15"}));
}

TEST_F(Trackers, AReceiveFromAnySourceHasTheSourceThatItsStatusNames) {
  take(0, make(CallId::Send, Payload::p2p, 10, 20, {side(1, 7)}));
  const EventRow row = take(1, make(CallId::Recv, Payload::p2p, 15, 30, {side(kAnySource, kAnyTag)}, {{0, 0, 7, 8}}));
  EXPECT_EQ(row.peer, 0);
  EXPECT_EQ(row.tag, 7);
  EXPECT_EQ(messages(), (Texts{"10>15"}));
}

TEST_F(Trackers, NothingIsSentToNobody) {
  const EventRow row = take(0, make(CallId::Send, Payload::p2p, 10, 20, {side(kProcNull, 7)}));
  EXPECT_EQ(row.bytes_sent, 0u);
  EXPECT_EQ(end().unmatched_sends, 0u);
}

TEST_F(Trackers, ACallThatFailedSendsNothing) {
  const EventRow row = take(0, make(CallId::Send, Payload::p2p, 10, 20, {side(1, 7)}, {}, kFlagFailed));
  EXPECT_EQ(row.bytes_sent, 0u);
  EXPECT_EQ(end().unmatched_sends, 0u);
}

TEST_F(Trackers, ASendrecvIsOneOfEach) {
  take(1, make(CallId::Send, Payload::p2p, 5, 6, {side(0, 3)}));
  const EventRow row =
      take(0, make(CallId::Sendrecv, Payload::sendrecv, 10, 20, {side(1, 7), side(1, 3)}, {{0, 1, 3, 8}}));
  EXPECT_EQ(row.bytes_sent, 8u);
  EXPECT_EQ(row.bytes_received, 8u);
  EXPECT_EQ(row.tag, 7);
  take(1, make(CallId::Recv, Payload::p2p, 15, 30, {side(0, 7)}, {{0, 0, 7, 8}}));
  EXPECT_EQ(messages(), (Texts{"5>10", "10>15"}));
}

TEST_F(Trackers, AnUnknownCommunicatorIsAFinding) {
  PointToPoint unknown = side(1, 7);
  unknown.comm = 0x99;
  const EventRow row = take(0, make(CallId::Send, Payload::p2p, 10, 20, {unknown}));
  EXPECT_EQ(row.comm, kNoComm);
  EXPECT_EQ(row.bytes_sent, 8u);
  EXPECT_EQ(findings_.count(FindingId::comm_unknown), 1u);
}

TEST_F(Trackers, AMatchedProbeTakesTheMessageThatItsReceiveGets) {
  take(0, make(CallId::Send, Payload::p2p, 10, 11, {side(1, 7)}));
  take(0, make(CallId::Send, Payload::p2p, 12, 13, {side(1, 7)}));
  PointToPoint probe = side(kAnySource, kAnyTag, 0xabc);  // the message handle that it makes
  take(1, make(CallId::Mprobe, Payload::p2p, 20, 21, {probe}, {{0, 0, 7, 8}}));
  take(1, make(CallId::Recv, Payload::p2p, 22, 23, {side(0, 7)}, {{0, 0, 7, 8}}));
  PointToPoint taken = side(0, 0);
  taken.comm = 0xabc;
  const EventRow row = take(1, make(CallId::Mrecv, Payload::p2p, 30, 31, {taken}, {{0, 0, 7, 8}}));
  EXPECT_EQ(row.peer, 0);
  EXPECT_EQ(row.bytes_received, 8u);
  EXPECT_EQ(messages(), (Texts{"12>22", "10>30"}));
}

TEST_F(Trackers, AProbeLeavesTheMessageWhereItIs) {
  take(0, make(CallId::Send, Payload::p2p, 10, 11, {side(1, 7)}));
  const EventRow row = take(1, make(CallId::Probe, Payload::p2p, 20, 21, {side(kAnySource, 7)}, {{0, 0, 7, 8}}));
  EXPECT_EQ(row.peer, 0);
  EXPECT_EQ(messages(), Texts{});
  EXPECT_EQ(end().unmatched_sends, 1u);
}

TEST_F(Trackers, AReceiveThatNeverReturnedKeepsItsPlace) {
  take(1, make(CallId::Recv, Payload::p2p, 15, 15, {side(0, 7)}, {}, kFlagUnfinished));
  end();
  EXPECT_EQ(findings_.count(FindingId::message_unmatched_receive), 1u);
}

TEST_F(Trackers, ACollectiveHasAPartOfEachRank) {
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    Call& call = make(CallId::Bcast, Payload::coll, 10 + rank, 20 + rank);
    made_.back().coll = {.comm = kWorld, .root = 1, .send_bytes = 8, .receive_bytes = 8};
    const EventRow row = take(rank, call);
    EXPECT_EQ(row.peer, 1);
    EXPECT_EQ(row.comm, 0u);
  }
  ASSERT_EQ(parts_.size(), 2u);
  EXPECT_EQ(parts_[0].instance, parts_[1].instance);
  EXPECT_EQ(parts_[0].start, (EventRef{0, 0, 10}));
  EXPECT_EQ(parts_[1].completion, (EventRef{1, 0, 11}));
  EXPECT_EQ(parts_[0].shape, CollectiveShape::one_to_all);
  end();
  EXPECT_EQ(collective_totals_.instances, 1u);
  EXPECT_EQ(collective_totals_.calls, 2u);
}

TEST_F(Trackers, ANonblockingCollectiveEndsWithItsRequest) {
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    Call& call = make(CallId::Ibarrier, Payload::coll, 10, 11);
    made_.back().coll = {.comm = kWorld, .request = 0x77};
    take(rank, call);
  }
  EXPECT_TRUE(parts_.empty());
  for (std::uint32_t rank = 0; rank < 2; ++rank)
    take(rank, make(CallId::Wait, Payload::requests, 20 + rank, 30, {}, {{0x77, 0, 0, 0}}));
  ASSERT_EQ(parts_.size(), 2u);
  EXPECT_EQ(parts_[1].start, (EventRef{1, 0, 10}));
  EXPECT_EQ(parts_[1].completion, (EventRef{1, 0, 21}));
}

class Sides : public TwoRanks {
 protected:
  RankContext at_ = context(0);
};

TEST_F(Sides, AreSureWhereNoCallsWereLost) {
  RecordedSides sides{at_};
  EXPECT_FALSE(sides.has_lost_calls());
  const LocalComm& world = resolvers_[0].births()[0].comm;
  EXPECT_FALSE(sides.is_unsure(make(CallId::Send, Payload::p2p, 10, 20), world));
  EXPECT_FALSE(sides.is_left_out(make(CallId::Send, Payload::p2p, 10, 20), world, true, 8));
  EXPECT_EQ(findings_.count(FindingId::call_switched_off), 0u);
}

TEST_F(Sides, AreUnsureFromTheFirstLostCallOn) {
  gaps_[0].lost_bounds = {100, 200};
  RecordedSides sides{at_};
  const LocalComm& world = resolvers_[0].births()[0].comm;
  EXPECT_TRUE(sides.has_lost_calls());
  EXPECT_FALSE(sides.is_unsure(make(CallId::Send, Payload::p2p, 99, 99), world));
  EXPECT_TRUE(sides.is_unsure(make(CallId::Send, Payload::p2p, 300, 300), world));
  EXPECT_TRUE(sides.is_unsure(make(CallId::UserEvent, Payload::user, 300, 300)));
  EXPECT_EQ(findings_.count(FindingId::call_switched_off), 2u);
}

TEST_F(Sides, LeaveOutMessagesOfSizesThatWereFilteredOut) {
  gaps_[0].message = {.from = 100};
  RecordedSides sides{at_};
  const LocalComm& world = resolvers_[0].births()[0].comm;
  const Call& call = make(CallId::Send, Payload::p2p, 10, 20);
  EXPECT_TRUE(sides.is_left_out(call, world, true, 8));
  EXPECT_FALSE(sides.is_left_out(call, world, true, 100));
  EXPECT_FALSE(sides.is_left_out(call, world, true, -1));
  EXPECT_EQ(findings_.count(FindingId::call_switched_off), 1u);
}

TEST_F(Sides, LeaveOutAllOfAKindOfWhichSomeWereFilteredOut) {
  gaps_[0].lacks_receives = true;
  RecordedSides sides{at_};
  const LocalComm& world = resolvers_[0].births()[0].comm;
  const Call& call = make(CallId::Recv, Payload::p2p, 10, 20);
  EXPECT_FALSE(sides.is_left_out(call, world, true, 8));
  EXPECT_TRUE(sides.is_left_out(call, world, false, 8));
  EXPECT_EQ(sides.post(call, world, 1, 7, 8), kNoReceive);
}

}  // namespace
}  // namespace meridian
