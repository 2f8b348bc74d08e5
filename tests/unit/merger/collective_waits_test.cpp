// SPDX-License-Identifier: Apache-2.0
// Wait states of collectives in small traces with known waits. Times are ns.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "synthetic_patterns.hpp"
#include "synthetic_trace.hpp"
#include "wait_texts.hpp"

namespace meridian::test {
namespace {

using ::testing::ElementsAre;

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

TEST(WaitStates, TheRootOfAReduceWaitsForTheLast) {
  SyntheticRun run{3};
  run[0]->collective(CallId::Reduce, {10, 60}, 8, 8, 0);
  run[1]->collective(CallId::Reduce, {30, 31}, 8, 0, 0);
  run[2]->collective(CallId::Reduce, {50, 51}, 8, 0, 0);
  run[0]->collective(CallId::Gather, {110, 160}, 8, 24,
                     0);  // rank 1, which need not wait for the root, is already there
  run[1]->collective(CallId::Gather, {105, 106}, 8, 0, 0);
  run[2]->collective(CallId::Gather, {150, 151}, 8, 0, 0);
  EXPECT_THAT(waits_of(run), ElementsAre("early reduce: 0 MPI_Gather waits 40 for 2 MPI_Gather",
                                         "early reduce: 0 MPI_Reduce waits 40 for 2 MPI_Reduce"));
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

TEST(WaitStates, PollsForANonBlockingCollectiveAreOneWaitForTheLastRank) {
  SyntheticRun run{2};
  run[0]->collective(CallId::Iallreduce, {1, 2}, 8, 8, kNoRoot, 0xa);
  for (std::uint64_t at = 10; at < 50; at += 10) run[0]->requests(CallId::Test, {at, at + 8}, {});
  run[0]->requests(CallId::Test, {50, 52}, {{0xa, 0, 0, 0}});
  run[1]->collective(CallId::Iallreduce, {35, 36}, 8, 8, kNoRoot, 0xa);
  run[1]->requests(CallId::Test, {53, 54}, {{0xa, 0, 0, 0}});
  EXPECT_THAT(waits_of(run), ElementsAre("wait at N x N: 0 MPI_Test waits 21 for 1 MPI_Iallreduce"));
}

TEST(WaitStates, APersistentCollectiveIsWaitedForFromEachStart) {
  SyntheticRun run{2};
  for (SyntheticRank& rank : run.ranks) rank->collective(CallId::Barrier_init, {1, 2}, 0, 0, kNoRoot, 0xa);
  run[0]->start({10, 11}, 0xa);
  run[0]->wait({12, 60}, 0xa);
  run[1]->start({50, 51}, 0xa);
  run[1]->wait({52, 61}, 0xa);
  EXPECT_THAT(waits_of(run), ElementsAre("wait at N x N: 0 MPI_Wait waits 38 for 1 MPI_Start"));
}

TEST(WaitStates, ANonBlockingBroadcastWaitsForItsRootInTheCompletingCall) {
  SyntheticRun run{2};
  run[0]->collective(CallId::Ibcast, {10, 11}, 8, 8, 1, 0xa);
  run[0]->wait({20, 60}, 0xa);
  run[1]->collective(CallId::Ibcast, {50, 51}, 8, 8, 1, 0xa);
  run[1]->wait({60, 61}, 0xa);
  EXPECT_THAT(waits_of(run), ElementsAre("late broadcast: 0 MPI_Wait waits 30 for 1 MPI_Ibcast"));
}

TEST(WaitStates, ACallThatCompletesSeveralCollectivesWaitsOnceForTheLatest) {
  SyntheticRun run{2};
  for (const auto& [rank, at] :
       {std::pair{std::size_t{0}, std::uint64_t{10}}, std::pair{std::size_t{1}, std::uint64_t{50}}}) {
    run[rank]->collective(CallId::Iallreduce, {at, at + 1}, 8, 8, kNoRoot, 0xa);
    run[rank]->collective(CallId::Ibcast, {at + 2, at + 3}, 8, 8, 1, 0xc);
    run[rank]->collective(CallId::Ibarrier, {at + 4, at + 5}, 0, 0, kNoRoot, 0xb);
    run[rank]->requests(CallId::Waitall, {at + 10, 70 + at}, {{0xa, 0, 0, 0}, {0xb, 0, 0, 0}, {0xc, 0, 0, 0}});
  }
  EXPECT_THAT(waits_of(run), ElementsAre("wait at barrier: 0 MPI_Waitall waits 34 for 1 MPI_Ibarrier"));
}

TEST(WaitStates, ACallThatCompletesACollectiveAndAMessageWaitsOnceForTheLatest) {
  for (const std::uint64_t sent : {std::uint64_t{40}, std::uint64_t{60}}) {
    SyntheticRun run{2};
    run[0]->irecv({5, 6}, 1, 0, 8, 0xb);
    run[0]->collective(CallId::Iallreduce, {10, 11}, 8, 8, kNoRoot, 0xa);
    run[0]->requests(CallId::Waitall, {20, 90}, {{0xa, 0, 0, 0}, {0xb, 1, 0, 8}});
    if (sent == 40) run[1]->send({40, 41}, 0, 0, 8);
    run[1]->collective(CallId::Iallreduce, {50, 51}, 8, 8, kNoRoot, 0xa);
    if (sent == 60) run[1]->send({60, 61}, 0, 0, 8);
    run[1]->wait({80, 81}, 0xa);
    EXPECT_THAT(waits_of(run), ElementsAre(sent == 40 ? "wait at N x N: 0 MPI_Waitall waits 30 for 1 MPI_Iallreduce"
                                                      : "late sender: 0 MPI_Waitall waits 40 for 1 MPI_Send"));
  }
}

/// Ranks 0 and 1 have a communicator with ranks 2 and 3.
constexpr std::uint64_t kAcross = 0xc;
struct RunAcross : SyntheticRun {
  RunAcross() : SyntheticRun{4} {
    for (std::size_t r = 0; r < 4; ++r) {
      const std::vector<std::int32_t> low{0, 1}, high{2, 3};
      ranks[r].make_comm({1, 2}, 0xa, kWorld, r < 2 ? low : high);
      ranks[r].make_comm({3, 5}, kAcross, 0xa, r < 2 ? low : high, CallId::Intercomm_create, 0, r < 2 ? high : low);
    }
  }
  void enter(std::size_t rank, CallId call, At at, std::uint64_t bytes = 0, std::int32_t root = kNoRoot,
             std::uint64_t request = 0) {
    ranks[rank]->collective(call, at, bytes, bytes, root, request, kAcross);
  }
};

TEST(WaitStates, OnAnIntercommunicatorRanksWaitForTheOtherGroup) {
  RunAcross run;
  run.enter(0, CallId::Allreduce, {10, 61}, 8);
  run.enter(1, CallId::Allreduce, {40, 62}, 8);
  run.enter(2, CallId::Allreduce, {20, 63}, 8);
  run.enter(3, CallId::Allreduce, {50, 64}, 8);
  EXPECT_THAT(waits_of(run), ElementsAre("wait at N x N: 0 MPI_Allreduce waits 40 for 3 MPI_Allreduce",
                                         "wait at N x N: 2 MPI_Allreduce waits 20 for 1 MPI_Allreduce",
                                         "wait at N x N: 1 MPI_Allreduce waits 10 for 3 MPI_Allreduce"));
}

TEST(WaitStates, OnAnIntercommunicatorABroadcastWaitsForTheRootInTheOtherGroup) {
  RunAcross run;
  run.enter(0, CallId::Bcast, {10, 11}, 8, kProcNull);
  run.enter(1, CallId::Bcast, {50, 51}, 8, kRootSelf);
  run.enter(2, CallId::Bcast, {20, 60}, 8, 1);
  run.enter(3, CallId::Bcast, {55, 60}, 8, 1);
  EXPECT_THAT(waits_of(run), ElementsAre("late broadcast: 2 MPI_Bcast waits 30 for 1 MPI_Bcast"));
}

TEST(WaitStates, OnAnIntercommunicatorANonBlockingBarrierIsWaitedForInItsCompletion) {
  RunAcross run;
  for (std::size_t r = 0; r < 4; ++r) {
    run.enter(r, CallId::Ibarrier, {10 + 10 * r, 11 + 10 * r}, 0, kNoRoot, 0x9);
    run[r]->wait({12 + 10 * r, 61}, 0x9);
  }
  EXPECT_THAT(waits_of(run), ElementsAre("wait at barrier: 0 MPI_Wait waits 28 for 3 MPI_Ibarrier",
                                         "wait at barrier: 1 MPI_Wait waits 18 for 3 MPI_Ibarrier"));
}

}  // namespace
}  // namespace meridian::test
