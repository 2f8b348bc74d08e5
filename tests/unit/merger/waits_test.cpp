// SPDX-License-Identifier: Apache-2.0
// Wait states of small traces with known waits, and of a longer one compared with a slow loop. Times are ns.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "analysed.hpp"
#include "merged/merged_trace.hpp"
#include "merged_reader.hpp"
#include "synthetic_patterns.hpp"
#include "synthetic_trace.hpp"

namespace meridian::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

std::int64_t ns(double seconds) { return std::llround(seconds * 1e9); }

/// "late sender: 1 MPI_Recv waits 30 for 0 MPI_Send", longest first; with the number of waits where there are several.
std::vector<std::string> texts(const Summary& summary) {
  std::vector<std::string> all;
  for (const WaitSummary& row : summary.waits)
    all.push_back(row.pattern + ": " + std::to_string(row.rank) + " " + row.function + " waits " +
                  (row.count == 1 ? "" : std::to_string(row.count) + " times ") + std::to_string(ns(row.total_s)) +
                  " for " + std::to_string(row.causer) + " " + row.causer_function);
  return all;
}

std::vector<std::string> waits_of(SyntheticRun& run) {
  const auto outcome = run.merge(with_analyses());
  EXPECT_TRUE(outcome) << outcome.error().what;
  return texts(outcome->summary);
}

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

TEST(WaitStates, AtABarrierAllWaitForTheLast) {
  SyntheticRun run{3};
  run[0]->collective(CallId::Barrier, {10, 55});
  run[1]->collective(CallId::Barrier, {20, 56});
  run[2]->collective(CallId::Barrier, {50, 57});
  EXPECT_THAT(waits_of(run), ElementsAre("wait at barrier: 0 MPI_Barrier waits 40 for 2 MPI_Barrier",
                                         "wait at barrier: 1 MPI_Barrier waits 30 for 2 MPI_Barrier"));
}

TEST(WaitStates, EqualWaitsAreOneRow) {
  SyntheticRun run{2};
  for (std::uint64_t at = 0; at < 300; at += 100) {
    run[0]->collective(CallId::Allreduce, {at + 10, at + 60}, 8, 8);
    run[1]->collective(CallId::Allreduce, {at + 50, at + 60}, 8, 8);
  }
  EXPECT_THAT(waits_of(run), ElementsAre("wait at N x N: 0 MPI_Allreduce waits 3 times 120 for 1 MPI_Allreduce"));
}

TEST(WaitStates, ParticipantsThatSendNothingAreNotWaitedFor) {
  SyntheticRun run{3};
  run[0]->collective(CallId::Alltoallv, {10, 60}, 8, 16);
  run[1]->collective(CallId::Alltoallv, {30, 60}, 8, 16);
  run[2]->collective(CallId::Alltoallv, {50, 60}, 0, 16);
  EXPECT_THAT(waits_of(run), ElementsAre("wait at N x N: 0 MPI_Alltoallv waits 20 for 1 MPI_Alltoallv"));
}

TEST(WaitStates, ABroadcastWaitsForItsRootUntilItLeaves) {
  SyntheticRun run{3};
  run[0]->collective(CallId::Bcast, {10, 60}, 0, 8, 2);
  run[1]->collective(CallId::Bcast, {55, 60}, 0, 8, 2);
  run[2]->collective(CallId::Bcast, {50, 52}, 8, 0, 2);
  EXPECT_THAT(waits_of(run), ElementsAre("late broadcast: 0 MPI_Bcast waits 40 for 2 MPI_Bcast"));
}

TEST(WaitStates, TheRootOfAReduceWaitsForTheLastIfItCameFirst) {
  SyntheticRun run{3};
  run[0]->collective(CallId::Reduce, {10, 60}, 8, 8, 0);
  run[1]->collective(CallId::Reduce, {30, 31}, 8, 0, 0);
  run[2]->collective(CallId::Reduce, {50, 51}, 8, 0, 0);
  run[0]->collective(CallId::Gather, {110, 160}, 8, 24, 0);  // not the first
  run[1]->collective(CallId::Gather, {105, 106}, 8, 0, 0);
  run[2]->collective(CallId::Gather, {150, 151}, 8, 0, 0);
  EXPECT_THAT(waits_of(run), ElementsAre("early reduce: 0 MPI_Reduce waits 40 for 2 MPI_Reduce"));
}

TEST(WaitStates, AScanWaitsForLowerRanksOnly) {
  SyntheticRun run{3};
  run[0]->collective(CallId::Scan, {40, 41}, 8, 8);
  run[1]->collective(CallId::Scan, {10, 50}, 8, 8);
  run[2]->collective(CallId::Scan, {90, 95}, 8, 8);
  EXPECT_THAT(waits_of(run), ElementsAre("wait at prefix: 1 MPI_Scan waits 30 for 0 MPI_Scan"));
}

TEST(WaitStates, ANonBlockingCollectiveIsWaitedForInTheCallThatCompletesIt) {
  SyntheticRun run{2};
  run[0]->collective(CallId::Iallreduce, {10, 11}, 8, 8, kNoRoot, 0xa);
  run[0]->wait({20, 60}, 0xa);
  run[1]->collective(CallId::Iallreduce, {50, 51}, 8, 8, kNoRoot, 0xa);
  run[1]->wait({60, 61}, 0xa);
  EXPECT_THAT(waits_of(run), ElementsAre("wait at N x N: 0 MPI_Wait waits 30 for 1 MPI_Iallreduce"));
}

TEST(WaitStates, TheEndOfTheRunWaitsForTheLastRank) {
  SyntheticRun run{2};
  run[0]->call(CallId::Finalize, {10, 90});
  run[1]->call(CallId::Finalize, {70, 90});
  EXPECT_THAT(waits_of(run), ElementsAre("wait at finalize: 0 MPI_Finalize waits 60 for 1 MPI_Finalize"));
}

/// Enter and leave of an event, by the columns of the file.
struct Times {
  std::int64_t enter = 0, leave = 0;
};

TEST(WaitStates, OfALongTraceAreThoseOfASlowLoop) {
  const TempDir directory;
  write_halo(directory.path(), 3, 3'000);  // events of two batches
  ASSERT_TRUE(merge(directory.path()));
  const MergedReader columns{directory / "merged.h5"};
  std::vector<Times> times[3];  // [rank][sequence]
  std::size_t events = 0;
  for (const EventRow& row : columns.events()) {
    auto& of_rank = times[row.rank];
    of_rank.resize(std::max<std::size_t>(of_rank.size(), row.sequence + 1));
    of_rank[row.sequence] = {row.enter_ns, row.enter_ns + row.duration_ns};
    ++events;
  }
  ASSERT_GT(events, 65536u);
  const auto at = [&](const EventRef& call) { return times[call.rank].at(call.event); };

  std::map<EventRef, std::int64_t> latest;  // of the senders of a call's messages
  for (const MatchedMessage& message : columns.messages()) {
    std::int64_t& enter = latest[message.completion];
    enter = std::max(enter, at(message.send).enter);
  }
  std::int64_t late_sender = 0, all_to_all = 0;
  const auto wait = [&](const EventRef& call, std::int64_t until) {
    return std::max<std::int64_t>(0, std::min(until, at(call).leave) - at(call).enter);
  };
  for (const auto& [call, enter] : latest) late_sender += wait(call, enter);
  std::map<std::uint64_t, std::int64_t> last;  // enter of each instance
  for (const CollectivePart& part : columns.collectives())
    last[part.instance] = std::max(last[part.instance], at(part.start).enter);
  for (const CollectivePart& part : columns.collectives()) all_to_all += wait(part.completion, last[part.instance]);

  const auto trace = MergedTrace::open(directory / "merged.h5");
  ASSERT_TRUE(trace);
  Summary summary;
  ASSERT_TRUE(run_analyses(*trace, summary));
  std::map<std::string, double> found;
  for (const WaitSummary& row : summary.waits) found[row.pattern] += row.total_s;
  EXPECT_EQ(ns(found["late sender"]), late_sender);
  EXPECT_EQ(ns(found["wait at N x N"]), all_to_all);
  EXPECT_GT(late_sender, 0);
  EXPECT_GT(all_to_all, 0);
}

}  // namespace
}  // namespace meridian::test
