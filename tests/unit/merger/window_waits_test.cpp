// SPDX-License-Identifier: Apache-2.0
// Waits in one-sided communication and among neighbours, in small traces with known waits. Times are ns.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "analysed.hpp"
#include "synthetic_trace.hpp"
#include "tests/support/run_python.hpp"
#include "tests/support/seed.hpp"

namespace meridian::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::uint64_t kWindow = 0x500, kGrid = 0x84000003;

/// "late post: rank 0 waits 30 in MPI_Win_start for rank 1's MPI_Win_post", in order of the calls and of time.
std::vector<std::string> waits_of(SyntheticRun& run) {
  const auto outcome = run.merge(with_analyses());
  EXPECT_TRUE(outcome) << outcome.error().what;
  const auto trace = MergedTrace::open(run.merged());
  EXPECT_TRUE(trace) << trace.error().what;
  std::vector<EventWait> waits;
  EXPECT_TRUE(trace->waits(0, trace->events(), waits));
  std::vector<std::string> list;
  const auto rank_and_call = [&](const MergedEvent& event, const std::string& between) {
    return std::to_string(event.rank) + between + std::string{trace->definitions().call_name(event.call)};
  };
  for (const EventWait& wait : waits) {
    const auto here = trace->event(wait.row), causer = trace->event(wait.causer);
    list.push_back(std::string{kWaitKindNames[static_cast<std::size_t>(wait.kind)]} + ": rank " +
                   rank_and_call(*here, " waits " + std::to_string(wait.ns) + " in ") + " for rank " +
                   rank_and_call(*causer, "'s "));
  }
  return list;
}

/// All ranks have made a window.
struct RunWithWindow : SyntheticRun {
  explicit RunWithWindow(std::int32_t size) : SyntheticRun{size} {
    for (SyntheticRank& rank : ranks) rank.make_window({1, 2}, kWindow);
  }
};

TEST(WindowWaits, RanksWaitAtAFenceForTheLast) {
  RunWithWindow run{3};
  run[0]->handle(CallId::Win_fence, {10, 45}, kWindow);
  run[1]->handle(CallId::Win_fence, {40, 44}, kWindow);
  run[2]->handle(CallId::Win_fence, {25, 46}, kWindow);
  EXPECT_THAT(waits_of(run), ElementsAre("wait at fence: rank 0 waits 30 in MPI_Win_fence for rank 1's MPI_Win_fence",
                                         "wait at fence: rank 2 waits 15 in MPI_Win_fence for rank 1's MPI_Win_fence"));
}

TEST(WindowWaits, AFenceThatReturnsBeforeTheLastRankComesDoesNotWait) {
  RunWithWindow run{2};
  run[0]->handle(CallId::Win_fence, {10, 12}, kWindow);
  run[1]->handle(CallId::Win_fence, {40, 44}, kWindow);
  EXPECT_THAT(waits_of(run), IsEmpty());
}

TEST(WindowWaits, CreationAndEndOfAWindowWaitForTheLastRank) {
  SyntheticRun run{2};
  run[0].make_window({10, 35}, kWindow, CallId::Win_allocate);
  run[1].make_window({30, 36}, kWindow, CallId::Win_allocate);
  run[0]->handle(CallId::Win_free, {50, 72}, kWindow);
  run[1]->handle(CallId::Win_free, {70, 73}, kWindow);
  EXPECT_THAT(waits_of(run),
              ElementsAre("wait at fence: rank 0 waits 20 in MPI_Win_allocate for rank 1's MPI_Win_allocate",
                          "wait at fence: rank 0 waits 20 in MPI_Win_free for rank 1's MPI_Win_free"));
}

TEST(WindowWaits, WindowsOfOneNameAreCountedApart) {
  RunWithWindow run{2};
  for (SyntheticRank& rank : run.ranks) rank.make_window({3, 4}, kWindow + 1);
  run[0]->handle(CallId::Win_fence, {10, 25}, kWindow + 1);
  run[0]->handle(CallId::Win_fence, {30, 45}, kWindow);
  run[1]->handle(CallId::Win_fence, {20, 26}, kWindow + 1);
  run[1]->handle(CallId::Win_fence, {41, 46}, kWindow);
  EXPECT_THAT(waits_of(run), ElementsAre("wait at fence: rank 0 waits 10 in MPI_Win_fence for rank 1's MPI_Win_fence",
                                         "wait at fence: rank 0 waits 11 in MPI_Win_fence for rank 1's MPI_Win_fence"));
}

TEST(WindowWaits, AnOriginWaitsForTheLastOfItsTargetsInTheCallThatBlocks) {
  RunWithWindow run{3};
  run[0]->epoch(CallId::Win_start, {10, 50}, kWindow, {1, 2});
  run[0]->handle(CallId::Win_complete, {52, 55}, kWindow);
  run[1]->epoch(CallId::Win_post, {20, 21}, kWindow, {0});
  run[2]->epoch(CallId::Win_post, {40, 41}, kWindow, {0});
  run[0]->epoch(CallId::Win_start, {60, 61}, kWindow, {1});
  run[0]->at_target(CallId::Put, {62, 90}, kWindow, 1);
  run[0]->handle(CallId::Win_complete, {91, 92}, kWindow);
  run[0]->epoch(CallId::Win_start, {100, 101}, kWindow, {2});
  run[0]->handle(CallId::Win_complete, {110, 150}, kWindow);
  run[1]->epoch(CallId::Win_post, {80, 81}, kWindow, {0});
  run[2]->epoch(CallId::Win_post, {140, 141}, kWindow, {0});
  EXPECT_THAT(waits_of(run), ElementsAre("late post: rank 0 waits 30 in MPI_Win_start for rank 2's MPI_Win_post",
                                         "late post: rank 0 waits 18 in MPI_Put for rank 1's MPI_Win_post",
                                         "late post: rank 0 waits 30 in MPI_Win_complete for rank 2's MPI_Win_post"));
}

TEST(WindowWaits, ATargetWaitsForTheLastAccessAndThenForTheCompletion) {
  RunWithWindow run{2};
  run[0]->epoch(CallId::Win_start, {10, 11}, kWindow, {1});
  run[0]->at_target(CallId::Put, {30, 40}, kWindow, 1);
  run[0]->handle(CallId::Win_complete, {70, 75}, kWindow);
  run[1]->epoch(CallId::Win_post, {5, 6}, kWindow, {0});
  run[1]->handle(CallId::Win_wait, {20, 80}, kWindow);
  EXPECT_THAT(waits_of(run),
              ElementsAre("early wait: rank 1 waits 20 in MPI_Win_wait for rank 0's MPI_Put",
                          "late complete: rank 1 waits 30 in MPI_Win_wait for rank 0's MPI_Win_complete"));
}

TEST(WindowWaits, ATargetThatWaitsAfterTheLastAccessWaitsForTheCompletionOnly) {
  RunWithWindow run{3};
  for (const std::size_t origin : {0U, 1U}) {
    run[origin]->epoch(CallId::Win_start, {10, 11}, kWindow, {2});
    run[origin]->at_target(CallId::Put, {12, 14}, kWindow, 2);
  }
  run[0]->handle(CallId::Win_complete, {70, 75}, kWindow);
  run[1]->handle(CallId::Win_complete, {60, 65}, kWindow);
  run[2]->epoch(CallId::Win_post, {5, 6}, kWindow, {0, 1});
  run[2]->handle(CallId::Win_wait, {20, 80}, kWindow);
  EXPECT_THAT(waits_of(run),
              ElementsAre("late complete: rank 2 waits 50 in MPI_Win_wait for rank 0's MPI_Win_complete"));
}

TEST(WindowWaits, ALockIsWaitedForUntilItsHolderUnlocks) {
  RunWithWindow run{3};
  run[0]->at_target(CallId::Win_lock, {10, 12}, kWindow, 2, kLockExclusive);
  run[0]->at_target(CallId::Win_unlock, {50, 55}, kWindow, 2);
  run[1]->at_target(CallId::Win_lock, {20, 56}, kWindow, 2, kLockShared);
  run[1]->at_target(CallId::Win_unlock, {57, 58}, kWindow, 2);
  run[2]->at_target(CallId::Win_lock, {20, 21}, kWindow, 1, kLockExclusive);  // of another target
  run[2]->at_target(CallId::Win_unlock, {60, 61}, kWindow, 1);
  EXPECT_THAT(waits_of(run), ElementsAre("window lock: rank 1 waits 30 in MPI_Win_lock for rank 0's MPI_Win_unlock"));
}

TEST(WindowWaits, TheSummaryHasHowLongRanksHadALockThatOthersWaitedFor) {
  RunWithWindow run{3};
  run[0]->at_target(CallId::Win_lock, {10, 12}, kWindow, 2, kLockExclusive);
  run[0]->at_target(CallId::Win_unlock, {50, 55}, kWindow, 2);
  run[1]->at_target(CallId::Win_lock, {20, 56}, kWindow, 2, kLockShared);
  run[1]->at_target(CallId::Win_unlock, {60, 61}, kWindow, 2);
  run[2]->at_target(CallId::Win_lock, {20, 21}, kWindow, 1, kLockExclusive);  // nobody waits for it
  run[2]->at_target(CallId::Win_unlock, {70, 71}, kWindow, 1);
  ASSERT_TRUE(run.merge(with_analyses()));
  const auto trace = MergedTrace::open(run.merged());
  ASSERT_TRUE(trace) << trace.error().what;
  const auto summary = trace->summary();
  ASSERT_TRUE(summary) << summary.error().what;
  ASSERT_EQ(summary->window_locks.size(), 2U) << "longest time first";
  const WindowLockSummary& first = summary->window_locks[0];
  EXPECT_EQ(first.comm, "MPI_COMM_WORLD");
  EXPECT_EQ(first.target, 2);
  EXPECT_EQ(first.rank, 0);
  EXPECT_EQ(first.holds, 1U);
  EXPECT_EQ(first.waits, 1U);
  EXPECT_DOUBLE_EQ(first.hold_s, 38e-9);
  EXPECT_DOUBLE_EQ(first.longest_hold_s, 38e-9);
  EXPECT_EQ(summary->window_locks[1].rank, 1);
  EXPECT_EQ(summary->window_locks[1].waits, 0U);
  EXPECT_DOUBLE_EQ(summary->window_locks[1].hold_s, 4e-9);
}

TEST(WindowWaits, ALibraryMayWaitForTheLockLater) {
  RunWithWindow run{2};
  run[0]->handle(CallId::Win_lock_all, {10, 12}, kWindow);
  run[0]->handle(CallId::Win_unlock_all, {50, 55}, kWindow);
  run[1]->at_target(CallId::Win_lock, {20, 21}, kWindow, 0, kLockExclusive);
  run[1]->at_target(CallId::Win_flush, {30, 57}, kWindow, 0);
  run[1]->at_target(CallId::Win_unlock, {60, 61}, kWindow, 0);
  EXPECT_THAT(waits_of(run),
              ElementsAre("window lock: rank 1 waits 20 in MPI_Win_flush for rank 0's MPI_Win_unlock_all"));
}

TEST(WindowWaits, SharedLocksDoNotWaitForEachOther) {
  RunWithWindow run{2};
  run[0]->at_target(CallId::Win_lock, {10, 12}, kWindow, 1, kLockShared);
  run[0]->at_target(CallId::Win_unlock, {50, 55}, kWindow, 1);
  run[1]->at_target(CallId::Win_lock, {20, 56}, kWindow, 1, kLockShared);
  run[1]->at_target(CallId::Win_unlock, {57, 58}, kWindow, 1);
  EXPECT_THAT(waits_of(run), IsEmpty());
}

TEST(NeighbourWaits, ARankWaitsForTheLastOfItsNeighboursOnly) {
  SyntheticRun run{4};
  for (std::int32_t r = 0; r < 4; ++r) {
    std::vector<std::int32_t> sources;
    if (r > 0) sources.push_back(r - 1);
    if (r < 3) sources.push_back(r + 1);
    run[static_cast<std::size_t>(r)].make_topology({1, 2}, kGrid, sources);
  }
  const auto exchange = [&](std::size_t r, At at) {
    run[r]->collective(CallId::Neighbor_alltoall, at, 8, 8, kNoRoot, 0, kGrid);
  };
  exchange(0, {10, 16});
  exchange(1, {15, 32});
  exchange(2, {30, 102});
  exchange(3, {100, 101});
  EXPECT_THAT(
      waits_of(run),
      ElementsAre("wait at neighbours: rank 0 waits 5 in MPI_Neighbor_alltoall for rank 1's MPI_Neighbor_alltoall",
                  "wait at neighbours: rank 1 waits 15 in MPI_Neighbor_alltoall for rank 2's MPI_Neighbor_alltoall",
                  "wait at neighbours: rank 2 waits 70 in MPI_Neighbor_alltoall for rank 3's MPI_Neighbor_alltoall"));
}

TEST(NeighbourWaits, ANonBlockingCallIsWaitedForInItsCompletion) {
  SyntheticRun run{2};
  for (std::int32_t r = 0; r < 2; ++r) run[static_cast<std::size_t>(r)].make_topology({1, 2}, kGrid, {1 - r});
  run[0]->collective(CallId::Ineighbor_alltoallv, {10, 11}, 8, 8, kNoRoot, 0x9, kGrid);
  run[0]->wait({20, 60}, 0x9);
  run[1]->collective(CallId::Ineighbor_alltoallv, {50, 51}, 8, 8, kNoRoot, 0x9, kGrid);
  run[1]->wait({52, 61}, 0x9);
  EXPECT_THAT(waits_of(run),
              ElementsAre("wait at neighbours: rank 0 waits 30 in MPI_Wait for rank 1's MPI_Ineighbor_alltoallv"));
}

TEST(NeighbourWaits, NeighboursWithoutDataAreNotWaitedFor) {
  SyntheticRun run{2};
  for (std::int32_t r = 0; r < 2; ++r) run[static_cast<std::size_t>(r)].make_topology({1, 2}, kGrid, {1 - r});
  run[0]->collective(CallId::Neighbor_alltoallv, {10, 60}, 8, 8, kNoRoot, 0, kGrid);
  run[1]->collective(CallId::Neighbor_alltoallv, {50, 61}, 0, 8, kNoRoot, 0, kGrid);
  EXPECT_THAT(waits_of(run), IsEmpty());
}

/// Ranks that all use one window and one topology, at times of their own.
void play(SyntheticRun& run, std::uint64_t seed) {
  std::mt19937_64 random{seeded(seed)};
  const auto below = [&](std::uint64_t end) { return random() % end; };
  const std::size_t ranks = run.ranks.size();
  const auto size = static_cast<std::int32_t>(ranks);
  std::vector<std::uint64_t> now(ranks, 10);
  for (std::size_t r = 0; r < ranks; ++r) {
    const auto rank = static_cast<std::int32_t>(r);
    run[r].make_topology({1, 2}, kGrid, {(rank + 1) % size, (rank + size - 1) % size});
    run[r].make_window({3, 4}, kWindow);
  }
  const auto next = [&](std::size_t r, std::uint64_t length) {
    now[r] += 1 + below(300);
    const At at{now[r], now[r] + length};
    now[r] = at.leave;
    return at;
  };
  for (int step = 0; step < 240; ++step) {
    const std::size_t origin = below(ranks), target = (origin + 1 + below(ranks - 1)) % ranks;
    switch (below(4)) {
      case 0:
        for (std::size_t r = 0; r < ranks; ++r) run[r]->handle(CallId::Win_fence, next(r, below(900)), kWindow);
        break;
      case 1: {
        const auto o = static_cast<std::int32_t>(origin), t = static_cast<std::int32_t>(target);
        run[origin]->epoch(CallId::Win_start, next(origin, below(600)), kWindow, {t});
        for (std::uint64_t i = below(3); i > 0; --i)
          run[origin]->at_target(CallId::Put, next(origin, below(200)), kWindow, t);
        run[origin]->handle(CallId::Win_complete, next(origin, below(600)), kWindow);
        run[target]->epoch(CallId::Win_post, next(target, 2), kWindow, {o});
        run[target]->handle(CallId::Win_wait, next(target, below(1500)), kWindow);
        break;
      }
      case 2:
        for (const std::size_t r : {origin, target}) {
          run[r]->at_target(CallId::Win_lock, next(r, below(600)), kWindow, 0,
                            below(2) == 0 ? kLockExclusive : kLockShared);
          if (below(2) == 0) run[r]->at_target(CallId::Win_flush, next(r, below(600)), kWindow, 0);
          run[r]->at_target(CallId::Win_unlock, next(r, below(600)), kWindow, 0);
        }
        break;
      default:
        for (std::size_t r = 0; r < ranks; ++r)
          run[r]->collective(CallId::Neighbor_allgather, next(r, below(900)), below(4) == 0 ? 0 : 8, 16, kNoRoot, 0,
                             kGrid);
    }
  }
}

TEST(WindowWaits, OfRandomProgramsAreThoseOfPlainLoops) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    SyntheticRun run{3};
    play(run, seed);
    const auto outcome = run.merge(with_analyses());
    ASSERT_TRUE(outcome) << outcome.error().what;
    run_python(MERIDIAN_PYTHON_H5PY, {MERIDIAN_CHECK_WINDOW_WAITS, run.merged()});
  }
}

}  // namespace
}  // namespace meridian::test
