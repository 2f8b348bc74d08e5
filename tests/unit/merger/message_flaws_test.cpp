// SPDX-License-Identifier: Apache-2.0
// Messages without a partner, of two sizes, of threads that race, of calls that failed or never returned.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "messages_fixture.hpp"

namespace meridian::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST_F(Messages, UnmatchedOnesAreCountedWithAnExample) {
  SyntheticRun run{2};
  run[0]->send({10, 11}, 1, 5, 8);
  run[0]->send({12, 13}, 1, 6, 8);
  run[1]->receive({20, 21}, 0, 5, 8);
  run[1]->irecv({22, 23}, 0, 7, 8, 0xa);
  EXPECT_THAT(matched(run), ElementsAre(Pairing{0, 0, 1, 0}));
  const Finding* send = find(summary, "message.unmatched_send");
  ASSERT_NE(send, nullptr);
  EXPECT_EQ(send->count, 1U);
  EXPECT_EQ(send->detail, "rank 0 thread 0 call 1 to rank 1, tag 6, communicator 0");
  const Finding* receive = find(summary, "message.unmatched_receive");
  ASSERT_NE(receive, nullptr);
  EXPECT_EQ(receive->detail, "rank 1 thread 0 call 1, source 0, tag 7");
  EXPECT_EQ(summary.messages.unmatched_sends, 1U);
  EXPECT_EQ(summary.messages.unmatched_receives, 1U);
}

TEST_F(Messages, InProgressWhenARankWasKilledAreNotAnError) {
  SyntheticRun run{3};
  run[1].meta.is_finalized = false;
  run[0]->send({10, 11}, 1, 5, 8);        // to the one that was killed
  run[0]->receive({12, 13}, 1, 6, 8);     // from it
  run[1]->irecv({14, 15}, 2, 6, 8, 0xa);  // by it
  run[1]->send({16, 17}, 2, 7, 8);        // by it, to one that lived on and did not want it
  run[0]->send({18, 19}, 2, 8, 8);        // between the living
  run[0]->irecv({20, 21}, 2, 9, 8, 0xb);
  EXPECT_THAT(matched(run), IsEmpty());
  EXPECT_EQ(count_of(summary, "call.cut_off"), 3U);
  EXPECT_EQ(count_of(summary, "message.unmatched_send"), 2U);
  EXPECT_EQ(count_of(summary, "message.unmatched_receive"), 1U);
  EXPECT_EQ(summary.messages.unmatched_sends, 3U);
  EXPECT_EQ(summary.messages.unmatched_receives, 3U);
}

TEST_F(Messages, MissingPartnerIsNotAnUnmatchedMessage) {
  SyntheticRun run{3};
  run[0]->send({10, 11}, 2, 5, 8);
  run[0]->receive({12, 13}, 2, 5, 8);
  run[0]->receive({14, 15}, kAnySource, 5, {1, 5, 8});
  run[1]->send({10, 11}, 0, 5, 8);
  run.ranks.pop_back();
  EXPECT_THAT(matched(run), ElementsAre(Pairing{1, 0, 0, 2}));
  EXPECT_EQ(count_of(summary, "message.partner_missing"), 2U);
  EXPECT_EQ(find(summary, "rank.missing")->detail, "rank 2");
  EXPECT_EQ(summary.messages.unmatched_sends, 0U);
  EXPECT_EQ(summary.run.ranks_expected, 3);
  EXPECT_EQ(summary.run.ranks_present, 2);
}

TEST_F(Messages, LongerMessageThanReceivedIsTruncated) {
  SyntheticRun run{2};
  run[0]->send({10, 11}, 1, 5, 100);
  run[1]->receive({20, 21}, 0, 5, 64);
  EXPECT_THAT(matched(run), ElementsAre(Pairing{0, 0, 1, 0}));
  EXPECT_EQ(find(summary, "message.truncated")->detail,
            "rank 0 thread 0 call 0 sent 100 bytes, rank 1 thread 0 call 0 received 64");
}

TEST_F(Messages, TruncatedMessagesTakeTheirPlaceThoughTheCallFailed) {
  SyntheticRun run{2};
  const auto failed = [](SyntheticThread& thread) { thread.batch.flags.back() = kFlagFailed; };
  for (const std::uint64_t t : {10u, 20u, 30u}) run[0]->send({t, t + 1}, 1, 5, 100);
  run[0]->send({40, 41}, 1, 5, 64);
  // The status has the whole length, or none.
  run[1]->receive({50, 51}, 0, 5, 64);
  run[1]->batch.completions.back().bytes = 100;
  failed(run[1].thread());
  run[1]->irecv({52, 53}, 0, 5, 64, 0xa);
  run[1]->wait({54, 55}, 0xa, {0, 5, 100});
  failed(run[1].thread());
  run[1]->sendrecv({56, 57}, 0, 5, 8, 0, 5, {0, 5, 0});
  failed(run[1].thread());
  run[1]->receive({58, 59}, 0, 5, 64);
  run[0]->receive({60, 61}, 1, 5, 8);
  EXPECT_THAT(matched(run), ElementsAre(Pairing{0, 0, 1, 0}, Pairing{0, 1, 1, 2}, Pairing{0, 2, 1, 3},
                                        Pairing{0, 3, 1, 4}, Pairing{1, 3, 0, 4}));
  EXPECT_EQ(count_of(summary, "message.truncated"), 3U);
  EXPECT_EQ(find(summary, "message.truncated")->detail,
            "rank 0 thread 0 call 0 sent 100 bytes, rank 1 thread 0 call 0 received 64; "
            "rank 0 thread 0 call 1 sent 100 bytes, rank 1 thread 0 call 2 received 64; "
            "rank 0 thread 0 call 2 sent 100 bytes, rank 1 thread 0 call 3 received 0");
}

TEST_F(Messages, MessagesOfSwitchedOffFunctionsAreNotAFlaw) {
  SyntheticRun run{2};
  run[0]->send({10, 11}, 1, 5, 8);
  run[1]->wait({20, 21}, 0xa, {0, 5, 8});
  run[1]->receive({22, 23}, 0, 6, 8);
  run[1].meta.texts.push_back({"recording", "off", 0, 5});
  run[1].meta.texts.push_back({"recording", "on", 0, 15});
  EXPECT_THAT(matched(run), IsEmpty());
  ASSERT_NE(find(summary, "call.switched_off"), nullptr);
  EXPECT_EQ(find(summary, "call.switched_off")->count, 3U);
  EXPECT_EQ(find(summary, "call.switched_off")->severity, Severity::info);
  for (const Finding& finding : summary.findings) EXPECT_EQ(finding.severity, Severity::info) << finding.name;
}

TEST_F(Messages, RequestThatWasSeenCompleteAndFreedIsAReceive) {
  SyntheticRun run{2};
  for (const std::uint64_t t : {10u, 12u, 14u}) run[0]->send({t, t + 1}, 1, 5, static_cast<std::int64_t>(t));
  run[1]->irecv({20, 21}, kAnySource, 5, 64, 0xa);
  run[1]->requests(CallId::Request_get_status, {22, 23}, {{0xa, 0, 5, 10}});
  run[1]->requests(CallId::Request_free, {24, 25}, {{0xa, 0, 0, 0}});
  run[1]->irecv({26, 27}, 0, 5, 64, 0xa);
  run[1]->requests(CallId::Request_get_status, {28, 29}, {{0xa, 0, 5, 12}});
  run[1]->wait({30, 31}, 0xa, {0, 5, 12});
  run[1]->receive({32, 33}, 0, 5, 14);
  EXPECT_THAT(matched(run), ElementsAre(Pairing{0, 0, 1, 2}, Pairing{0, 1, 1, 5}, Pairing{0, 2, 1, 6}));
  EXPECT_THAT(summary.findings, IsEmpty());
}

TEST_F(Messages, CancelledSendThatWasFreedIsSentIfThereIsAReceiveForIt) {
  SyntheticRun run{2};
  const auto cancel_and_free = [&](std::uint64_t at, std::int32_t tag, std::int64_t bytes) {
    run[0]->isend({at, at + 1}, 1, tag, bytes, 0xa);
    run[0]->requests(CallId::Cancel, {at + 2, at + 3}, {{0xa, 0, 0, 0}});
    run[0]->requests(CallId::Request_free, {at + 4, at + 5}, {{0xa, 0, 0, 0}});
  };
  cancel_and_free(10, 5, 8);  // never received
  cancel_and_free(20, 6, 8);  // the first of two is received, by its size
  cancel_and_free(30, 6, 16);
  run[0]->send({40, 41}, 1, 6, 8);
  run[1]->receive({50, 51}, 0, 6, 8);
  run[1]->receive({52, 53}, 0, 6, 8);
  EXPECT_THAT(matched(run), ElementsAre(Pairing{0, 3, 1, 0}, Pairing{0, 9, 1, 1}));
  EXPECT_THAT(summary.findings, IsEmpty());
  EXPECT_EQ(summary.messages.unmatched_sends, 0U);
}

TEST_F(Messages, RefusedCallOnAnUnknownCommunicatorLacksNothing) {
  SyntheticRun run{1};
  run[0]->call(CallId::Send, {10, 11}, Payload::p2p, kFlagFailed);
  run[0]->side(0, 0, 5, 8);
  run[0]->collective(CallId::Barrier, {12, 13}, 0, 0, kNoRoot, 0, 0xdead);
  run[0]->batch.flags.back() = kFlagFailed;
  EXPECT_THAT(matched(run), IsEmpty());
  EXPECT_THAT(summary.findings, IsEmpty());
}

TEST_F(Messages, GeneralizedRequestIsKnown) {
  SyntheticRun run{1};
  run[0]->handle(CallId::Grequest_start, {10, 11}, 0xa);
  run[0]->wait({12, 13}, 0xa, {0, 5, 8});
  EXPECT_THAT(matched(run), IsEmpty());
  EXPECT_THAT(summary.findings, IsEmpty());
}

TEST_F(Messages, ReceiveThatFailedForAnotherReasonTakesNothing) {
  SyntheticRun run{2};
  run[0]->send({10, 11}, 1, 5, 8);
  run[1]->call(CallId::Recv, {20, 21}, Payload::p2p, kFlagFailed);
  run[1]->side(kWorld, 7, 5, 8);
  run[1]->receive({22, 23}, 0, 5, 8);
  EXPECT_THAT(matched(run), ElementsAre(Pairing{0, 0, 1, 1}));
}

TEST_F(Messages, ShorterMessageThanReceivedIsASizeMismatch) {
  SyntheticRun run{2};
  run[0]->send({10, 11}, 1, 5, 64);
  run[1]->receive({20, 21}, 0, 5, 100);
  matched(run);
  EXPECT_EQ(count_of(summary, "message.size_mismatch"), 1U);
}

TEST_F(Messages, ThreadsThatShareAChannelAtOneTimeAreAmbiguous) {
  SyntheticRun run{2};
  run[0].thread(0).send({10, 30}, 1, 5, 8);
  run[0].thread(1).send({20, 40}, 1, 5, 8);
  run[1]->receive({50, 51}, 0, 5, 8);
  run[1]->receive({52, 53}, 0, 5, 8);
  EXPECT_EQ(matched(run).size(), 2U);
  EXPECT_EQ(count_of(summary, "message.ambiguous"), 1U);
}

TEST_F(Messages, ThreadsThatTakeTurnsAreNotAmbiguous) {
  SyntheticRun run{2};
  run[0].thread(0).send({10, 20}, 1, 5, 8);
  run[0].thread(1).send({20, 30}, 1, 5, 16);
  run[0].thread(0).send({30, 40}, 1, 5, 24);
  run[1]->receive({50, 51}, 0, 5, 8);
  run[1]->receive({52, 53}, 0, 5, 16);
  run[1]->receive({54, 55}, 0, 5, 24);
  EXPECT_EQ(matched(run).size(), 3U);
  EXPECT_THAT(summary.findings, IsEmpty());
}

TEST_F(Messages, IsendrecvGotTheSentBytesWhateverItsStatus) {
  SyntheticRun run{2};
  run[0]->send({10, 11}, 1, 5, 24);
  run[1]->call(CallId::Isendrecv, {20, 21}, Payload::sendrecv);
  run[1]->side(kWorld, 0, 6, 4, 0xa);
  run[1]->side(kWorld, 0, 5, 24, 0xa);
  run[1]->wait({22, 23}, 0xa, {0, 5, 8});
  run[0]->receive({30, 31}, 1, 6, 4);
  EXPECT_THAT(matched(run), ElementsAre(Pairing{0, 0, 1, 1}, Pairing{1, 0, 0, 1}));
  EXPECT_THAT(summary.findings, IsEmpty());
  EXPECT_EQ(summary.ranks.at(1).bytes_received, 24U);
}

TEST_F(Messages, FailedSendSendsNothing) {
  SyntheticRun run{2};
  run[0]->send({10, 11}, 1, 5, 8, kWorld, CallId::Send, kFlagFailed);
  run[0]->send({12, 13}, 1, 5, 8);
  run[1]->receive({20, 21}, 0, 5, 8);
  EXPECT_THAT(matched(run), ElementsAre(Pairing{0, 1, 1, 0}));
}

TEST_F(Messages, SendThatNeverReturnedMayHaveArrived) {
  SyntheticRun run{2};
  run[0]->call(CallId::Send, {10, 0}, Payload::p2p, kFlagUnfinished);
  run[0]->batch.p2p.push_back({kWorld, 1, 5, 8, 0, 0, 0});  // the type's size is asked for when the call has returned
  run[1]->receive({20, 21}, 0, 5, 8);
  EXPECT_THAT(matched(run), ElementsAre(Pairing{0, 0, 1, 0}));
  EXPECT_EQ(MergedReader{run.merged()}.messages().at(0).bytes, 8U);
  EXPECT_EQ(find(summary, "call.unfinished")->detail, "rank 0 in MPI_Send");
}

TEST_F(Messages, ReceiveThatNeverReturnedIsUnmatched) {
  SyntheticRun run{2};
  run[1]->call(CallId::Recv, {20, 0}, Payload::p2p, kFlagUnfinished);
  run[1]->side(kWorld, 0, 5, 8);
  run[0]->call(CallId::Recv, {20, 0}, Payload::p2p, kFlagUnfinished);
  run[0]->side(kWorld, kAnySource, 5, 8);
  EXPECT_THAT(matched(run), IsEmpty());
  EXPECT_EQ(find(summary, "message.unmatched_receive")->detail,
            "rank 0 thread 0 call 0, source any, tag 5; rank 1 thread 0 call 0, source 0, tag 5");
}

TEST_F(Messages, RankThatStoppedEarlyDoesNotHoldMemory) {
  SyntheticRun run{2};
  for (std::uint64_t i = 0; i < 100; ++i) run[0]->send({1000 + i, 1000 + i}, 1, 5, 8);
  run[1]->receive({10, 2000}, 0, 5, 8);
  EXPECT_EQ(matched(run).size(), 1U);
  EXPECT_EQ(summary.messages.unmatched_sends, 99U);
}

}  // namespace
}  // namespace meridian::test
