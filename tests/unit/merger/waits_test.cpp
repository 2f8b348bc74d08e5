// SPDX-License-Identifier: Apache-2.0
// Wait states of small traces with known waits. Times are ns.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysed.hpp"
#include "merged/merged_trace.hpp"
#include "synthetic_trace.hpp"
#include "wait_texts.hpp"

namespace meridian::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

TEST(WaitStates, AReceiveWaitsForALateSender) {
  SyntheticRun run{2};
  run[1]->receive({10, 45}, 0, 7, 8);
  run[0]->send({40, 44}, 1, 7, 8);
  EXPECT_THAT(waits_of(run), ElementsAre("late sender: 1 MPI_Recv waits 30 for 0 MPI_Send"));
}

TEST(WaitStates, AReceiveOfAMessageThatIsUnderWayDoesNotWait) {
  SyntheticRun run{2};
  run[0]->send({5, 6}, 1, 7, 8);
  run[1]->receive({10, 12}, 0, 7, 8);
  EXPECT_THAT(waits_of(run), IsEmpty());
}

TEST(WaitStates, OfSeveralMessagesTheLatestSenderIsWaitedFor) {
  SyntheticRun run{3};
  run[0]->irecv({10, 11}, 1, 7, 8, 0xa);
  run[0]->irecv({12, 13}, 2, 7, 8, 0xb);
  run[0]->requests(CallId::Waitall, {20, 90}, {{0xa, 1, 7, 8}, {0xb, 2, 7, 8}});
  run[1]->send({30, 31}, 0, 7, 8);
  run[2]->send({80, 81}, 0, 7, 8);
  EXPECT_THAT(waits_of(run), ElementsAre("late sender: 0 MPI_Waitall waits 60 for 2 MPI_Send"));
}

TEST(WaitStates, ASynchronousSendWaitsForALateReceiver) {
  SyntheticRun run{2};
  run[0]->send({10, 60}, 1, 7, 8, kWorld, CallId::Ssend);
  run[1]->receive({50, 60}, 0, 7, 8);
  EXPECT_THAT(waits_of(run), ElementsAre("late receiver: 0 MPI_Ssend waits 40 for 1 MPI_Recv"));
}

TEST(WaitStates, ASendThatEndedBeforeTheReceiveDidNotWait) {
  SyntheticRun run{2};
  run[0]->send({10, 12}, 1, 7, 8);
  run[0]->isend({13, 200}, 1, 8, 8, 0xa);  // slow, but it does not block
  run[0]->wait({200, 201}, 0xa);
  run[1]->receive({50, 60}, 0, 7, 8);
  run[1]->receive({100, 110}, 0, 8, 8);
  EXPECT_THAT(waits_of(run), IsEmpty());
}

TEST(WaitStates, TheCallThatCompletesASendWaitsForALateReceiver) {
  SyntheticRun run{2};
  run[0]->isend({10, 12}, 1, 7, 8, 0xa);
  run[0]->wait({20, 60}, 0xa);
  run[1]->irecv({50, 51}, 0, 7, 8, 0xb);
  run[1]->wait({70, 80}, 0xb, {0, 7, 8});
  EXPECT_THAT(waits_of(run), ElementsAre("late receiver: 0 MPI_Wait waits 30 for 1 MPI_Irecv"));
}

TEST(WaitStates, AReceiveThatWasPostedBeforeTheCompletingCallIsNotWaitedFor) {
  SyntheticRun run{2};
  run[0]->isend({10, 12}, 1, 7, 8, 0xa);
  run[0]->wait({20, 60}, 0xa);
  run[1]->irecv({15, 16}, 0, 7, 8, 0xb);
  run[1]->wait({70, 80}, 0xb, {0, 7, 8});
  EXPECT_THAT(waits_of(run), IsEmpty());
}

TEST(WaitStates, OfAStartedSendTheCompletingCallWaitsForEachReceive) {
  SyntheticRun run{2};
  run[0]->isend({1, 2}, 1, 7, 8, 0xa, kWorld, CallId::Ssend_init);
  for (std::uint64_t at = 0; at < 300; at += 100) {
    run[0]->start({at + 10, at + 11}, 0xa);
    run[0]->wait({at + 20, at + 60}, 0xa);
    run[1]->receive({at + 50, at + 60}, 0, 7, 8);
  }
  EXPECT_THAT(waits_of(run), ElementsAre("late receiver: 0 MPI_Wait waits 3 times 90 for 1 MPI_Recv"));
}

TEST(WaitStates, ACallThatCompletesSendsAndReceivesWaitsForTheLastOfTheOtherEnds) {
  SyntheticRun run{3};
  run[0]->isend({1, 2}, 1, 7, 8, 0xa);
  run[0]->irecv({3, 4}, 2, 7, 8, 0xb);
  run[0]->requests(CallId::Waitall, {10, 90}, {{0xa, kAnySource, kAnyTag, 0}, {0xb, 2, 7, 8}});
  run[1]->receive({50, 70}, 0, 7, 8);
  run[2]->send({80, 85}, 0, 7, 8);
  EXPECT_THAT(waits_of(run), ElementsAre("late sender: 0 MPI_Waitall waits 70 for 2 MPI_Send"));
}

TEST(WaitStates, ATestThatFindsASendCompleteDoesNotWait) {
  SyntheticRun run{2};
  run[0]->isend({10, 12}, 1, 7, 8, 0xa);
  run[0]->requests(CallId::Test, {20, 60}, {{0xa, kAnySource, kAnyTag, 0}});
  run[1]->receive({50, 60}, 0, 7, 8);
  EXPECT_THAT(waits_of(run), IsEmpty());
}

TEST(WaitStates, ASendThatIsFreedOrCancelledIsNotWaitedFor) {
  SyntheticRun run{2};
  run[0]->isend({10, 12}, 1, 7, 8, 0xa);
  run[0]->requests(CallId::Request_free, {20, 60}, {{0xa, 0, 0, 0}});
  run[0]->isend({70, 72}, 1, 8, 8, 0xb);
  run[0]->requests(CallId::Cancel, {73, 74}, {{0xb, 0, 0, 0}});
  run[0]->requests(CallId::Wait, {80, 160}, {{0xb, kAnySource, kAnyTag, kCancelled}});
  run[1]->receive({50, 60}, 0, 7, 8);
  EXPECT_THAT(waits_of(run), IsEmpty());
}

TEST(WaitStates, APersistentReceiveWaitsForTheStartOfTheSend) {
  SyntheticRun run{2};
  run[0]->irecv({1, 2}, 1, 7, 8, 0xa, kWorld, CallId::Recv_init);
  run[0]->start({10, 11}, 0xa);
  run[0]->wait({12, 60}, 0xa, {1, 7, 8});
  run[1]->isend({1, 2}, 0, 7, 8, 0xb, kWorld, CallId::Send_init);
  run[1]->start({40, 41}, 0xb);
  run[1]->wait({41, 42}, 0xb);
  EXPECT_THAT(waits_of(run), ElementsAre("late sender: 0 MPI_Wait waits 28 for 1 MPI_Start"));
}

TEST(WaitStates, APartitionedReceiveWaitsForTheStartOfTheSend) {
  SyntheticRun run{2};
  run[0]->irecv({1, 2}, 1, 7, 8, 0xa, kWorld, CallId::Precv_init);
  run[0]->start({10, 11}, 0xa);
  run[0]->wait({12, 60}, 0xa, {1, 7, 8});
  run[1]->isend({1, 2}, 0, 7, 8, 0xb, kWorld, CallId::Psend_init);
  run[1]->start({40, 41}, 0xb);
  run[1]->wait({58, 59}, 0xb);
  EXPECT_THAT(waits_of(run), ElementsAre("late sender: 0 MPI_Wait waits 28 for 1 MPI_Start"));
}

TEST(WaitStates, AnExchangeWaitsForItsSender) {
  SyntheticRun run{2};
  run[0]->sendrecv({10, 50}, 1, 7, 8, 1, 7, {1, 7, 8});
  run[1]->sendrecv({40, 51}, 0, 7, 8, 0, 7, {0, 7, 8});
  EXPECT_THAT(waits_of(run), ElementsAre("late sender: 0 MPI_Sendrecv waits 30 for 1 MPI_Sendrecv"));
}

TEST(WaitStates, TheEndOfTheRunWaitsForTheLastRank) {
  SyntheticRun run{2};
  run[0]->call(CallId::Finalize, {10, 90});
  run[1]->call(CallId::Finalize, {70, 90});
  EXPECT_THAT(waits_of(run), ElementsAre("wait at finalize: 0 MPI_Finalize waits 60 for 1 MPI_Finalize"));
}

TEST(WaitStates, AProbeWaitsForTheMessageThatIsReceivedNext) {
  SyntheticRun run{2};
  run[0]->call(CallId::Probe, {10, 50}, Payload::p2p, 0, {{0, 1, 7, 8}});
  run[0]->side(kWorld, kAnySource, kAnyTag, 0);
  run[0]->receive({51, 55}, 1, 7, 8);
  run[1]->send({40, 41}, 0, 7, 8);
  EXPECT_THAT(waits_of(run), ElementsAre("late sender: 0 MPI_Probe waits 30 for 1 MPI_Send"));
}

TEST(WaitStates, PollsOneAfterAnotherAreOneWait) {
  SyntheticRun run{2};
  run[0]->irecv({1, 2}, 1, 7, 8, 0xa);
  for (std::uint64_t at = 10; at < 50; at += 10) run[0]->requests(CallId::Test, {at, at + 8}, {});
  run[0]->requests(CallId::Test, {50, 52}, {{0xa, 1, 7, 8}});
  run[1]->send({35, 36}, 0, 7, 8);
  EXPECT_THAT(waits_of(run), ElementsAre("late sender: 0 MPI_Test waits 21 for 1 MPI_Send"));
}

TEST(WaitStates, PollsBeforeOtherWorkAreNoWait) {
  SyntheticRun run{2};
  run[0]->irecv({1, 2}, 1, 7, 8, 0xa);
  run[0]->requests(CallId::Test, {10, 18}, {});
  run[0]->call(CallId::Comm_rank, {19, 20});
  run[0]->requests(CallId::Test, {20, 28}, {});
  run[0]->requests(CallId::Test, {50, 52}, {{0xa, 1, 7, 8}});
  run[1]->send({35, 36}, 0, 7, 8);
  EXPECT_THAT(waits_of(run), ElementsAre("late sender: 0 MPI_Test waits 8 for 1 MPI_Send"));
}

TEST(WaitStates, PollsForMessagesWaitForTheOneThatIsReceivedNext) {
  SyntheticRun run{2};
  for (const std::uint64_t at : {10u, 20u}) {
    run[0]->call(CallId::Iprobe, {at, at + 9}, Payload::p2p);
    run[0]->side(kWorld, 1, 7, 0);
  }
  run[0]->receive({51, 55}, 1, 7, 8);
  run[1]->send({40, 41}, 0, 7, 8);
  EXPECT_THAT(waits_of(run), ElementsAre("late sender: 0 MPI_Iprobe waits 18 for 1 MPI_Send"));
}

TEST(WaitStates, ReceivesInTheWrongOrderAreKnownByWhatIsReceivedLater) {
  SyntheticRun run{3};
  run[0]->receive({10, 60}, 1, 7, 8);  // rank 2 sent before, and is received later
  run[0]->receive({70, 71}, 2, 7, 8);
  run[0]->receive({110, 160}, 1, 8, 8);  // the same source sent another message before
  run[0]->receive({170, 171}, 1, 9, 8);
  run[0]->receive({210, 260}, 1, 7, 8);
  run[2]->send({20, 21}, 0, 7, 8);
  run[1]->send({50, 51}, 0, 7, 8);
  run[1]->send({120, 121}, 0, 9, 8);
  run[1]->send({150, 151}, 0, 8, 8);
  run[1]->send({250, 251}, 0, 7, 8);
  EXPECT_THAT(waits_of(run), UnorderedElementsAre("wrong order, other sources: 0 MPI_Recv waits 40 for 1 MPI_Send",
                                                  "wrong order, same source: 0 MPI_Recv waits 40 for 1 MPI_Send",
                                                  "late sender: 0 MPI_Recv waits 40 for 1 MPI_Send"));
}

TEST(WaitStates, AReceiveFromAnySourceIsInNoOrderWithThoseFromOtherSources) {
  SyntheticRun run{3};
  run[0]->receive({10, 60}, kAnySource, 7, {1, 7, 8});  // rank 2 sent before, with a tag that this does not take
  run[0]->receive({70, 71}, 2, 9, 8);
  run[0]->irecv({100, 101}, kAnySource, 7, 8, 0xa);
  run[0]->wait({110, 160}, 0xa, {1, 7, 8});
  run[0]->receive({170, 171}, 2, 9, 8);
  run[2]->send({20, 21}, 0, 9, 8);
  run[2]->send({120, 121}, 0, 9, 8);
  run[1]->send({50, 51}, 0, 7, 8);
  run[1]->send({150, 151}, 0, 7, 8);
  EXPECT_THAT(waits_of(run), UnorderedElementsAre("late sender: 0 MPI_Recv waits 40 for 1 MPI_Send",
                                                  "late sender: 0 MPI_Wait waits 40 for 1 MPI_Send"));
}

TEST(WaitStates, RanksThatReturnLateFromABarrierAreListedApart) {
  SyntheticRun run{3};
  run[0]->collective(CallId::Barrier, {10, 55});
  run[1]->collective(CallId::Barrier, {20, 65});
  run[2]->collective(CallId::Barrier, {50, 57});
  const auto outcome = run.merge(with_analyses());
  ASSERT_TRUE(outcome) << outcome.error().what;
  EXPECT_THAT(texts(outcome->summary), ElementsAre("wait at barrier: 0 MPI_Barrier waits 40 for 2 MPI_Barrier",
                                                   "wait at barrier: 1 MPI_Barrier waits 30 for 2 MPI_Barrier",
                                                   "barrier completion: 1 MPI_Barrier waits 10 for 0 MPI_Barrier",
                                                   "barrier completion: 2 MPI_Barrier waits 2 for 0 MPI_Barrier"));
  EXPECT_EQ(outcome->summary.wait_pairs.size(), 2u) << "a late return is no wait for a rank";
}

/// Rank 1 has a clock of its own, one millisecond ahead. Round trips take 2 us, so it is known to about 1 us.
void warp_clock(SyntheticRun& run, std::uint64_t ahead) {
  RankMeta& meta = run[1].meta;
  meta.domain = 8;
  meta.hostname = "other";
  meta.anchors.clear();
  for (const auto& [phase, at] : {std::pair{AnchorPhase::start, std::uint64_t{0}},
                                  std::pair{AnchorPhase::finish, std::uint64_t{1'000'000'000}}}) {
    meta.anchors.push_back({phase, at + ahead, at + ahead, static_cast<std::int64_t>(at + ahead),
                            1'700'000'000'000'000'000 + static_cast<std::int64_t>(at)});
    for (std::uint64_t i = 0; i < 20; ++i) {
      const std::uint64_t sent = (phase == AnchorPhase::start ? 1000 : at - 100'000) + 3000 * i;
      run[0].meta.exchanges.push_back({1, phase, sent, sent + 1000 + ahead, sent + 1100 + ahead, sent + 2100});
    }
  }
}

TEST(WaitStates, BelowTheBoundsOfTheClocksAreUnresolved) {
  SyntheticRun run{2};
  constexpr std::uint64_t kAhead = 1'000'000;
  warp_clock(run, kAhead);
  for (std::uint64_t i = 1; i < 190; ++i) {
    const std::uint64_t at = 5'000'000 * i, early = i % 3 == 0 ? 50'000 : 300;
    run[0]->send({at, at + 100}, 1, 1, 8);
    run[1]->receive({at - early + kAhead, at + 1500 + kAhead}, 0, 1, 8);
    run[1]->send({at + 100'000 + kAhead, at + 100'100 + kAhead}, 0, 1, 8);
    run[0]->receive({at + 100'000 - early, at + 101'500}, 1, 1, 8);
  }
  const auto outcome = run.merge(with_analyses());
  ASSERT_TRUE(outcome) << outcome.error().what;
  std::uint64_t count = 0, unresolved = 0;
  for (const WaitSummary& row : outcome->summary.waits) {
    count += row.count;
    unresolved += row.unresolved;
  }
  const auto trace = MergedTrace::open(run.merged());
  ASSERT_TRUE(trace) << trace.error().what;
  const auto bounds = trace->clock_bounds();
  ASSERT_TRUE(bounds) << "two clocks have bounds";
  std::uint64_t expected_count = 0, expected_unresolved = 0;
  MergedBatch batch;
  auto cursor = trace->select();
  ASSERT_TRUE(cursor);
  std::vector<MergedEvent> events;
  while (*cursor->next(batch)) events.insert(events.end(), batch.events.begin(), batch.events.end());
  for (std::uint64_t number = 0; number < trace->messages(); ++number) {
    const auto ends = trace->message_ends(number);
    ASSERT_TRUE(ends);
    const MergedEvent &send = events[ends->send], &receive = events[ends->completion];
    const std::int64_t wait = std::min(send.enter_ns, receive.leave_ns()) - receive.enter_ns;
    if (wait <= 0) continue;
    std::int64_t doubt = 0;
    for (const MergedEvent* event : {&send, &receive})
      if (const auto bound =
              bounds->at(*trace->definitions().clock_domain(event->rank), event->enter_ns, BoundLevel::t1))
        doubt += bound->half_width_ns();
    ++(wait <= doubt ? expected_unresolved : expected_count);
  }
  EXPECT_EQ(count, 2u * 63u) << "the long waits";
  EXPECT_EQ(count, expected_count);
  EXPECT_EQ(unresolved, expected_unresolved);
  EXPECT_GT(unresolved, 200u) << "the others, but for errors of the clocks";
  std::vector<EventWait> stored;
  ASSERT_TRUE(trace->waits(0, trace->events(), stored));
  EXPECT_EQ(stored.size(), count) << "only what is known is stored";
}

}  // namespace
}  // namespace meridian::test
