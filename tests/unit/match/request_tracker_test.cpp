// SPDX-License-Identifier: Apache-2.0
// Requests from the call that makes them to the one that ends them.

#include "merger/match/calls/request_tracker.hpp"

#include "two_ranks.hpp"

namespace meridian {
namespace {

using namespace test;

Request with_tag(std::int32_t tag) {
  Request request;
  request.tag = tag;
  return request;
}
PersistentCollective of_series(std::uint32_t series) {
  PersistentCollective collective;
  collective.series = series;
  return collective;
}

TEST(RequestTable, FindsTheLatestOwnerOfAHandle) {
  RequestTable table;
  EXPECT_EQ(table.find(0x77), RequestTable::kNone);
  const std::uint32_t first = table.add(0x77, with_tag(1));
  const std::uint32_t second = table.add(0x77, with_tag(2));
  EXPECT_EQ(table.find(0x77), second);
  table.remove(first);  // its handle is another's
  EXPECT_EQ(table.find(0x77), second);
  table.remove(second);
  EXPECT_EQ(table.find(0x77), RequestTable::kNone);
}

TEST(RequestTable, VisitsTheOwnersOfHandlesOnly) {
  RequestTable table;
  table.add(0x77, with_tag(1));
  table.add(0x77, with_tag(2));
  table.add(0x78, with_tag(3));
  std::vector<std::int32_t> tags;
  table.for_each([&](const Request& request) { tags.push_back(request.tag); });
  EXPECT_EQ(tags, (std::vector<std::int32_t>{2, 3}));
}

TEST(RequestTable, UsesTheNumbersOfRemovedRequestsAndCollectivesAgain) {
  RequestTable table;
  const std::uint32_t collective = table.add_collective(of_series(4));
  Request repeated;
  repeated.collective = collective;
  const std::uint32_t first = table.add(0x77, repeated);
  EXPECT_EQ(table.collective(table[first]).series, 4u);
  table.remove(first);
  EXPECT_EQ(table.add_collective(of_series(5)), collective);
  EXPECT_EQ(table.add(0x78, {}), first);
}

class Requests : public TwoRanks {
 protected:
  Call& wait(std::uint64_t enter, std::vector<Completion> completions, CallId id = CallId::Waitall) {
    return make(id, Payload::requests, enter, enter + 1, {}, std::move(completions));
  }
  /// A message from rank 0, sent at `enter`.
  void send(std::uint64_t enter, std::int32_t tag = 7) {
    take(0, make(CallId::Send, Payload::p2p, enter, enter + 1, {side(1, tag)}));
  }
};

TEST_F(Requests, OfReceivesEndWithTheCallThatCompletesThem) {
  take(1, make(CallId::Irecv, Payload::p2p, 5, 6, {side(0, 7, 0xa)}));
  take(1, make(CallId::Irecv, Payload::p2p, 7, 8, {side(kAnySource, kAnyTag, 0xb)}));
  send(10);
  send(12, 9);
  const EventRow row = take(1, wait(20, {{0xa, 0, 7, 8}, {0xb, 0, 9, 8}}));
  EXPECT_EQ(row.bytes_received, 16u);
  EXPECT_EQ(row.peer, kNoPeer);  // of several messages
  EXPECT_EQ(messages(), (Texts{"10>20", "12>20"}));
}

TEST_F(Requests, OfOneReceiveGiveTheCallItsPeer) {
  take(1, make(CallId::Irecv, Payload::p2p, 5, 6, {side(kAnySource, 7, 0xa)}));
  send(10);
  const EventRow row = take(1, wait(20, {{0xa, 0, 7, 8}}, CallId::Wait));
  EXPECT_EQ(row.peer, 0);
  EXPECT_EQ(row.tag, 7);
}

TEST_F(Requests, ThatNobodyMadeAreAFindingWhereAMessageCameIn) {
  take(1, wait(20, {{0xa, 0, 7, 8}}));
  EXPECT_EQ(findings_.count(FindingId::request_unknown), 1u);
  take(1, wait(22, {{0xa, -2, -1, 0}}));
  EXPECT_EQ(findings_.count(FindingId::request_unknown), 1u);
}

TEST_F(Requests, CompletedTwiceCountOnce) {
  take(1, make(CallId::Irecv, Payload::p2p, 5, 6, {side(0, 7, 0xa)}));
  send(10);
  take(1, wait(20, {{0xa, 0, 7, 8}}));
  EXPECT_EQ(take(1, wait(30, {{0xa, 0, 7, 0}})).bytes_received, 0u);
  EXPECT_EQ(messages(), (Texts{"10>20"}));
}

TEST_F(Requests, ThatPersistAreReceivedOncePerStart) {
  take(1, make(CallId::Recv_init, Payload::p2p, 1, 2, {side(0, 7, 0xa)}));
  for (std::uint64_t round = 10; round <= 20; round += 10) {
    const EventRow row = take(1, make(CallId::Start, Payload::requests, round, round + 1, {}, {{0xa, 0, 0, 0}}));
    EXPECT_EQ(row.peer, 0);
    send(round + 2);
    take(1, wait(round + 5, {{0xa, 0, 7, 8}}));
  }
  EXPECT_EQ(messages(), (Texts{"12>15", "22>25"}));
  take(1, make(CallId::Request_free, Payload::requests, 30, 31, {}, {{0xa, 0, 0, 0}}));
  take(1, make(CallId::Start, Payload::requests, 32, 33, {}, {{0xa, 0, 0, 0}}));
  EXPECT_EQ(end().unmatched_receives, 0u);
}

TEST_F(Requests, ThatPersistSendOncePerStart) {
  take(0, make(CallId::Send_init, Payload::p2p, 1, 2, {side(1, 7, 0xa)}));
  EXPECT_EQ(take(0, make(CallId::Start, Payload::requests, 3, 4, {}, {{0xa, 0, 0, 0}})).bytes_sent, 8u);
  take(1, make(CallId::Recv, Payload::p2p, 5, 6, {side(0, 7)}, {{0, 0, 7, 8}}));
  EXPECT_EQ(messages(), (Texts{"3>5"}));
}

TEST_F(Requests, ThatWereCancelledMakeRoomForTheNextReceive) {
  take(1, make(CallId::Irecv, Payload::p2p, 5, 6, {side(0, 7, 0xa)}));
  take(1, make(CallId::Cancel, Payload::requests, 7, 8, {}, {{0xa, 0, 0, 0}}));
  send(10);
  take(1, make(CallId::Recv, Payload::p2p, 12, 14, {side(0, 7)}, {{0, 0, 7, 8}}));
  EXPECT_EQ(messages(), Texts{});  // it may still be the first one's
  take(1, wait(20, {{0xa, 0, 0, kCancelled}}));
  EXPECT_EQ(messages(), (Texts{"10>12"}));
}

TEST_F(Requests, WhoseCancelCameTooLateKeepTheirMessage) {
  take(1, make(CallId::Irecv, Payload::p2p, 5, 6, {side(0, 7, 0xa)}));
  take(1, make(CallId::Cancel, Payload::requests, 7, 8, {}, {{0xa, 0, 0, 0}}));
  send(10);
  take(1, wait(20, {{0xa, 0, 7, 8}}));
  EXPECT_EQ(messages(), (Texts{"10>20"}));
}

TEST_F(Requests, OfCancelledSendsTakeTheirMessageBack) {
  take(0, make(CallId::Isend, Payload::p2p, 5, 6, {side(1, 7, 0xa)}));
  take(0, make(CallId::Cancel, Payload::requests, 7, 8, {}, {{0xa, 0, 0, 0}}));
  take(0, wait(9, {{0xa, 0, 0, kCancelled}}));
  send(10);
  take(1, make(CallId::Recv, Payload::p2p, 12, 14, {side(0, 7)}, {{0, 0, 7, 8}}));
  EXPECT_EQ(messages(), (Texts{"10>12"}));
}

TEST_F(Requests, ThatNeverEndedLeaveAnOpenReceive) {
  take(1, make(CallId::Irecv, Payload::p2p, 5, 6, {side(0, 7, 0xa)}));
  send(10);
  end();
  EXPECT_EQ(messages(), Texts{});
  EXPECT_EQ(findings_.count(FindingId::message_open_receive), 1u);
}

TEST_F(Requests, MadeBeforeCallsWereLostAreNotFoundAfterwards) {
  gaps_[1].lost_bounds = {100, 200};
  CallTracker tracker{context(1)};
  Call& posted = make(CallId::Irecv, Payload::p2p, 5, 6, {side(0, 7, 0xa)});
  tracker.enter(posted, 0);
  tracker.leave(posted, 0);
  send(10);
  Call& late = wait(300, {{0xa, 0, 7, 8}});
  EXPECT_EQ(tracker.enter(late, 0).bytes_received, 0u);
  tracker.leave(late, 0);
  EXPECT_EQ(messages(), Texts{});
}

}  // namespace
}  // namespace meridian
