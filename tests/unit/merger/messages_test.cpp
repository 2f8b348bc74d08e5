// SPDX-License-Identifier: Apache-2.0
// Matching of sends and receives: each rule of MPI with the smallest trace that shows it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "messages_fixture.hpp"

namespace meridian::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST_F(Messages, BlockingSendGoesToTheBlockingReceive) {
  SyntheticRun run{2};
  run[0]->send({10, 20}, 1, 5, 100);
  run[1]->receive({15, 30}, 0, 5, 100);
  EXPECT_THAT(matched(run), ElementsAre(Pairing{0, 0, 1, 0}));
  const auto message = MergedReader{run.merged()}.messages().at(0);
  EXPECT_EQ(message.comm, 0U);
  EXPECT_EQ(message.tag, 5);
  EXPECT_EQ(message.bytes, 100U);
  EXPECT_EQ(message.send_enter_ns, 0) << "global time begins with the first call";
  EXPECT_EQ(message.post_enter_ns, 5);
  EXPECT_EQ(message.receive_leave_ns, 20);
  EXPECT_THAT(summary.findings, IsEmpty());
}

TEST_F(Messages, MessagesOfOneChannelArriveInOrder) {
  SyntheticRun run{2};
  run[0]->send({10, 11}, 1, 5, 8);
  run[0]->send({12, 13}, 1, 5, 8);
  run[1]->receive({20, 21}, 0, 5, 8);
  run[1]->receive({22, 23}, 0, 5, 8);
  EXPECT_THAT(matched(run), ElementsAre(Pairing{0, 0, 1, 0}, Pairing{0, 1, 1, 1}));
}

TEST_F(Messages, TagsAreReceivedInAnyOrder) {
  SyntheticRun run{2};
  run[0]->send({10, 11}, 1, 1, 8);
  run[0]->send({12, 13}, 1, 2, 8);
  run[1]->receive({20, 21}, 0, 2, 8);
  run[1]->receive({22, 23}, 0, 1, 8);
  EXPECT_THAT(matched(run), ElementsAre(Pairing{0, 0, 1, 1}, Pairing{0, 1, 1, 0}));
}

TEST_F(Messages, ReceivesGetMessagesInPostingOrderNotInCompletionOrder) {
  SyntheticRun run{2};
  run[0]->send({10, 11}, 1, 5, 8);
  run[0]->send({12, 13}, 1, 5, 8);
  run[1]->irecv({1, 2}, 0, 5, 8, 0xa);
  run[1]->irecv({3, 4}, 0, 5, 8, 0xb);
  run[1]->wait({20, 21}, 0xb, {0, 5, 8});  // call 2 completes the second receive first
  run[1]->wait({22, 23}, 0xa, {0, 5, 8});
  EXPECT_THAT(matched(run), ElementsAre(Pairing{0, 0, 1, 3}, Pairing{0, 1, 1, 2}));
}

TEST_F(Messages, WildcardPostedFirstDelaysLaterReceivesThatCompeteWithIt) {
  SyntheticRun run{2};
  run[0]->send({10, 11}, 1, 5, 8);
  run[0]->send({12, 13}, 1, 5, 8);
  run[1]->irecv({1, 2}, kAnySource, 5, 8, 0xa);
  run[1]->irecv({3, 4}, 0, 5, 8, 0xb);
  run[1]->wait({20, 21}, 0xb, {0, 5, 8});
  run[1]->wait({22, 23}, 0xa, {0, 5, 8});  // it is only here that the wildcard's channel is known
  EXPECT_THAT(matched(run), ElementsAre(Pairing{0, 0, 1, 3}, Pairing{0, 1, 1, 2}));
}

TEST_F(Messages, WildcardWithAnotherSourceLeavesTheFirstPlace) {
  SyntheticRun run{3};
  run[0]->send({10, 11}, 2, 5, 8);
  run[1]->send({10, 11}, 2, 5, 8);
  run[2]->irecv({1, 2}, kAnySource, kAnyTag, 8, 0xa);
  run[2]->irecv({3, 4}, 0, 5, 8, 0xb);
  run[2]->wait({20, 21}, 0xb, {0, 5, 8});
  run[2]->wait({22, 23}, 0xa, {1, 5, 8});
  EXPECT_THAT(matched(run), ElementsAre(Pairing{0, 0, 2, 2}, Pairing{1, 0, 2, 3}));
}

TEST_F(Messages, WildcardWithAnotherTagDelaysNone) {
  SyntheticRun run{2};
  run[0]->send({10, 11}, 1, 5, 8);
  run[1]->irecv({1, 2}, kAnySource, 6, 8, 0xa);  // never completes
  run[1]->irecv({3, 4}, 0, 5, 8, 0xb);
  run[1]->wait({20, 21}, 0xb, {0, 5, 8});
  EXPECT_THAT(matched(run), ElementsAre(Pairing{0, 0, 1, 2}));
  EXPECT_EQ(count_of(summary, "message.unmatched_receive"), 1U);
}

TEST_F(Messages, BlockingWildcardIsKnownFromItsStatus) {
  SyntheticRun run{3};
  run[0]->send({10, 11}, 2, 1, 8);
  run[1]->send({10, 11}, 2, 2, 8);
  run[2]->receive({5, 20}, kAnySource, kAnyTag, {1, 2, 8});
  run[2]->receive({21, 22}, kAnySource, kAnyTag, {0, 1, 8});
  EXPECT_THAT(matched(run), ElementsAre(Pairing{0, 0, 2, 1}, Pairing{1, 0, 2, 0}));
}

TEST_F(Messages, SendrecvIsASendAndAReceive) {
  SyntheticRun run{2};
  run[0]->sendrecv({10, 20}, 1, 1, 8, 1, 2, {1, 2, 16});
  run[1]->sendrecv({11, 21}, 0, 2, 16, 0, 1, {0, 1, 8});
  EXPECT_THAT(matched(run), ElementsAre(Pairing{0, 0, 1, 0}, Pairing{1, 0, 0, 0}));
  EXPECT_EQ(summary.messages.bytes, 24U);
}

TEST_F(Messages, ProcNullIsNotAMessage) {
  SyntheticRun run{2};
  run[0]->send({1, 2}, kProcNull, 0, 8);
  run[0]->receive({3, 4}, kProcNull, kAnyTag, {kProcNull, kAnyTag, 0});
  run[0]->irecv({5, 6}, kProcNull, 0, 8, 0xa);
  run[0]->wait({7, 8}, 0xa, {kProcNull, kAnyTag, 0});
  run[0]->sendrecv({9, 10}, kProcNull, 0, 8, kProcNull, 0, {kProcNull, kAnyTag, 0});
  EXPECT_THAT(matched(run), IsEmpty());
  EXPECT_THAT(summary.findings, IsEmpty());
  EXPECT_EQ(summary.ranks[0].messages_sent, 0U);
}

TEST_F(Messages, ProbesConsumeNothing) {
  SyntheticRun run{2};
  run[0]->send({10, 11}, 1, 5, 8);
  run[1]->receive({1, 12}, 0, 5, {0, 5, 8}, kWorld, CallId::Probe);
  run[1]->receive({13, 14}, 0, 5, 8);
  EXPECT_THAT(matched(run), ElementsAre(Pairing{0, 0, 1, 1}));
}

TEST_F(Messages, MatchedProbeRemovesItsMessageFromTheChannel) {
  SyntheticRun run{2};
  run[0]->send({10, 11}, 1, 5, 8);
  run[0]->send({12, 13}, 1, 5, 8);
  auto& receiver = run[1].thread();
  receiver.call(CallId::Mprobe, {14, 15}, Payload::p2p, 0, {{0, 0, 5, 8}});
  receiver.side(kWorld, kAnySource, kAnyTag, 0, 0x77);
  receiver.receive({16, 17}, 0, 5, 8);  // call 1 gets the second message
  receiver.call(CallId::Mrecv, {18, 19}, Payload::p2p, 0, {{0, 0, 5, 8}});
  receiver.side(0x77, kAnySource, kAnyTag, 8);
  EXPECT_THAT(matched(run), ElementsAre(Pairing{0, 0, 1, 2}, Pairing{0, 1, 1, 1}));
  EXPECT_EQ(MergedReader{run.merged()}.messages().at(0).post.event, 2U) << "the receive is Mrecv, not the probe";
}

TEST_F(Messages, ImprobeAndImrecvEndWithTheirRequest) {
  SyntheticRun run{2};
  run[0]->send({10, 11}, 1, 5, 8);
  auto& receiver = run[1].thread();
  receiver.call(CallId::Improbe, {1, 2}, Payload::p2p);  // found nothing
  receiver.side(kWorld, kAnySource, kAnyTag, 0);
  receiver.call(CallId::Improbe, {14, 15}, Payload::p2p, 0, {{0, 0, 5, 8}});
  receiver.side(kWorld, kAnySource, kAnyTag, 0, 0x77);
  receiver.call(CallId::Imrecv, {18, 19}, Payload::p2p);
  receiver.side(0x77, kAnySource, kAnyTag, 8, 0xa);
  receiver.wait({20, 21}, 0xa, {0, 5, 8});
  EXPECT_THAT(matched(run), ElementsAre(Pairing{0, 0, 1, 3}));
}

TEST_F(Messages, EachStartOfAPersistentRequestIsAMessage) {
  SyntheticRun run{2};
  run[0]->isend({1, 2}, 1, 5, 8, 0xa, kWorld, CallId::Send_init);
  run[1]->irecv({1, 2}, 0, 5, 8, 0xb, kWorld, CallId::Recv_init);
  for (std::uint64_t i = 0; i < 2; ++i) {
    const std::uint64_t t = 100 * i;
    run[0]->start({t + 10, t + 11}, 0xa);
    run[0]->wait({t + 12, t + 13}, 0xa);
    run[1]->requests(CallId::Startall, {t + 10, t + 11}, {{0xb, 0, 0, 0}});
    run[1]->wait({t + 20, t + 21}, 0xb, {0, 5, 8});
    run[1]->wait({t + 22, t + 23}, 0xb);  // inactive: returns at once, means nothing
  }
  run[0]->requests(CallId::Request_free, {300, 301}, {{0xa, 0, 0, 0}});
  run[1]->requests(CallId::Request_free, {300, 301}, {{0xb, 0, 0, 0}});
  EXPECT_THAT(matched(run), ElementsAre(Pairing{0, 1, 1, 2}, Pairing{0, 3, 1, 5}));
  EXPECT_EQ(MergedReader{run.merged()}.messages().at(1).post.event, 4U);
  EXPECT_THAT(summary.findings, IsEmpty());
}

TEST_F(Messages, PartitionedMessagesPairAmongThemselves) {
  SyntheticRun run{2};
  run[0]->send({1, 2}, 1, 5, 8);
  run[0]->isend({3, 4}, 1, 5, 64, 0xa, kWorld, CallId::Psend_init);
  run[0]->start({5, 6}, 0xa);
  run[1]->irecv({1, 2}, 0, 5, 64, 0xb, kWorld, CallId::Precv_init);
  run[1]->start({3, 4}, 0xb);
  run[1]->wait({10, 11}, 0xb, {0, 5, 64});
  run[1]->receive({12, 13}, 0, 5, 8);
  EXPECT_THAT(matched(run), ElementsAre(Pairing{0, 0, 1, 3}, Pairing{0, 2, 1, 2}));
}

TEST_F(Messages, CancelledReceiveGivesItsPlaceToTheNext) {
  SyntheticRun run{2};
  run[0]->send({50, 51}, 1, 5, 8);
  run[1]->irecv({1, 2}, 0, 5, 8, 0xa);
  run[1]->irecv({3, 4}, 0, 5, 8, 0xb);
  run[1]->requests(CallId::Cancel, {5, 6}, {{0xa, 0, 0, 0}});
  run[1]->wait({60, 61}, 0xb, {0, 5, 8});  // seen before it is known that the cancel succeeded
  run[1]->wait({62, 63}, 0xa, {kAnySource, kAnyTag, kCancelled});
  EXPECT_THAT(matched(run), ElementsAre(Pairing{0, 0, 1, 3}));
  EXPECT_THAT(summary.findings, IsEmpty());
}

TEST_F(Messages, ReceiveWhoseCancelFailedKeepsItsMessage) {
  SyntheticRun run{2};
  run[0]->send({50, 51}, 1, 5, 8);
  run[0]->send({52, 53}, 1, 5, 8);
  run[1]->irecv({1, 2}, 0, 5, 8, 0xa);
  run[1]->irecv({3, 4}, 0, 5, 8, 0xb);
  run[1]->requests(CallId::Cancel, {55, 56}, {{0xa, 0, 0, 0}});
  run[1]->wait({60, 61}, 0xb, {0, 5, 8});
  run[1]->wait({62, 63}, 0xa, {0, 5, 8});
  EXPECT_THAT(matched(run), ElementsAre(Pairing{0, 0, 1, 4}, Pairing{0, 1, 1, 3}));
}

TEST_F(Messages, CancelledSendIsNotAMessage) {
  SyntheticRun run{2};
  run[0]->isend({10, 11}, 1, 5, 8, 0xa);
  run[0]->requests(CallId::Cancel, {12, 13}, {{0xa, 0, 0, 0}});
  run[0]->send({14, 15}, 1, 5, 8);
  run[0]->wait({90, 91}, 0xa, {kAnySource, kAnyTag, kCancelled});
  run[1]->receive({1, 20}, 0, 5, 8);  // over long before the sender looks at its request
  EXPECT_THAT(matched(run), ElementsAre(Pairing{0, 2, 1, 0}));
  EXPECT_EQ(summary.ranks[0].messages_sent, 1U);
  EXPECT_THAT(summary.findings, IsEmpty());
}

TEST_F(Messages, FreedSendRequestStillSends) {
  SyntheticRun run{2};
  run[0]->isend({10, 11}, 1, 5, 8, 0xa);
  run[0]->requests(CallId::Request_free, {12, 13}, {{0xa, 0, 0, 0}});
  run[1]->receive({1, 20}, 0, 5, 8);
  EXPECT_THAT(matched(run), ElementsAre(Pairing{0, 0, 1, 0}));
}

TEST_F(Messages, FreedReceiveTakesItsMessageAway) {
  SyntheticRun run{2};
  run[0]->send({10, 11}, 1, 5, 8);
  run[0]->send({12, 13}, 1, 5, 8);
  run[1]->irecv({1, 2}, 0, 5, 8, 0xa);
  run[1]->requests(CallId::Request_free, {3, 4}, {{0xa, 0, 0, 0}});
  run[1]->receive({20, 21}, 0, 5, 8);
  EXPECT_THAT(matched(run), ElementsAre(Pairing{0, 1, 1, 2}));
  EXPECT_EQ(count_of(summary, "message.open_receive"), 1U);
  EXPECT_EQ(summary.messages.unmatched_sends, 0U);
}

TEST_F(Messages, HandlesAreReused) {
  SyntheticRun run{2};
  run[0]->send({10, 11}, 1, 1, 8);
  run[0]->send({12, 13}, 1, 2, 16);
  run[1]->irecv({1, 2}, 0, 2, 16, 0xa);
  run[1]->wait({15, 16}, 0xa, {0, 2, 16});
  run[1]->irecv({20, 21}, 0, 1, 8, 0xa);
  run[1]->wait({22, 23}, 0xa, {0, 1, 8});
  EXPECT_THAT(matched(run), ElementsAre(Pairing{0, 0, 1, 3}, Pairing{0, 1, 1, 1}));
}

TEST_F(Messages, HandleHasItsMeaningAtTheEnterOfTheCall) {
  SyntheticRun run{2};
  run[0]->send({1, 2}, 1, 1, 8);
  run[0]->send({3, 4}, 1, 2, 8);
  run[1]->irecv({5, 6}, 0, 1, 8, 0xa);
  run[1].thread(1).irecv({7, 19}, 0, 2, 8, 0xa);  // made while the wait below frees the first owner
  run[1]->wait({8, 18}, 0xa, {0, 1, 8});
  run[1].thread(1).wait({20, 21}, 0xa, {0, 2, 8});
  auto pairs = matched(run);
  EXPECT_THAT(pairs, ElementsAre(Pairing{0, 0, 1, 1}, Pairing{0, 1, 1, 1}));
  const auto messages = MergedReader{run.merged()}.messages();
  EXPECT_EQ(messages.at(0).completion.thread, 0U);
  EXPECT_EQ(messages.at(1).completion.thread, 1U);
}

TEST_F(Messages, RequestOfAPendingCommunicatorIsKnown) {
  SyntheticRun run{1};
  run[0].make_comm({10, 11}, 0x99, kWorld, {0}, CallId::Comm_idup);
  run[0].meta.comms.back().birth.request = 0xa;
  run[0]->wait({12, 13}, 0xa, {0, 5, 8});
  EXPECT_TRUE(matched(run).empty());
  EXPECT_EQ(count_of(summary, "request.unknown"), 0U);
}

TEST_F(Messages, OneHandleForSeveralCompletedSendsIsNotAFlaw) {
  SyntheticRun run{2};
  for (std::uint64_t i = 0; i < 3; ++i) run[0]->isend({10 + i, 10 + i}, 1, 5, 8, 0xffff);  // as MPICH does
  run[0]->requests(CallId::Waitall, {20, 21}, {{0xffff, 0, 5, 8}, {0xffff, 0, 5, 8}, {0xffff, 0, 5, 8}});
  for (std::uint64_t i = 0; i < 3; ++i) run[1]->receive({30 + 2 * i, 31 + 2 * i}, 0, 5, 8);
  EXPECT_THAT(matched(run), ElementsAre(Pairing{0, 0, 1, 0}, Pairing{0, 1, 1, 1}, Pairing{0, 2, 1, 2}));
  EXPECT_THAT(summary.findings, IsEmpty());
}

TEST_F(Messages, LargeCountFormsMeanTheSame) {
  SyntheticRun run{2};
  run[0]->send({10, 11}, 1, 5, 8, kWorld, CallId::Send_c);
  run[1]->receive({20, 21}, 0, 5, {0, 5, 8}, kWorld, CallId::Recv_c);
  EXPECT_THAT(matched(run), ElementsAre(Pairing{0, 0, 1, 0}));
}

TEST_F(Messages, TotalsCountBothSides) {
  SyntheticRun run{3};
  run[0]->send({10, 11}, 1, 5, 8);
  run[0]->send({12, 13}, 1, 6, 8);
  run[0]->send({14, 15}, 2, 5, 100);
  run[1]->receive({20, 21}, 0, 6, 8);
  run[1]->receive({22, 23}, 0, 5, 8);
  run[2]->receive({22, 23}, 0, 5, 100);
  matched(run);
  EXPECT_EQ(summary.messages.matched, 3U);
  EXPECT_EQ(summary.messages.bytes, 116U);
  ASSERT_EQ(summary.pairs.size(), 2U);
  EXPECT_EQ(summary.pairs[0].source, 0);
  EXPECT_EQ(summary.pairs[0].dest, 1);
  EXPECT_EQ(summary.pairs[0].messages, 2U);
  EXPECT_EQ(summary.pairs[0].bytes, 16U);
  EXPECT_EQ(summary.pairs[1].dest, 2);
  EXPECT_EQ(summary.ranks[0].messages_sent, 3U);
  EXPECT_EQ(summary.ranks[0].bytes_sent, 116U);
  EXPECT_EQ(summary.ranks[1].messages_received, 2U);
  EXPECT_EQ(summary.ranks[2].bytes_received, 100U);
}

}  // namespace
}  // namespace meridian::test
