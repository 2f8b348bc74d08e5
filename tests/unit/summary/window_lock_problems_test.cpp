// SPDX-License-Identifier: Apache-2.0
// What is said about waits for the locks of windows: the target, who waits, who holds it, and for how long.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "summary/problems/problems.hpp"
#include "tests/unit/summary/problem_samples.hpp"

namespace meridian {
namespace {

using samples::add_wait;
using samples::even_ranks;

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

void add_holder(Summary& summary, std::int32_t rank, std::uint64_t holds, double hold_s, std::uint64_t waits,
                std::int32_t target = 0, const char* window = "") {
  WindowLockSummary& row = summary.window_locks.emplace_back();
  row.window = window;
  row.comm = "MPI_COMM_WORLD";
  row.target = target;
  row.rank = rank;
  row.holds = holds;
  row.hold_s = hold_s;
  row.longest_hold_s = 2 * hold_s / static_cast<double>(holds);
  row.waits = waits;
}

ProblemSummary worst(const Summary& summary) {
  const std::vector<ProblemSummary> problems = find_problems(summary);
  return problems.empty() ? ProblemSummary{} : problems.front();
}

TEST(WindowLockProblems, TheHolderIsNamedWithTheTargetAndHowLongItHasTheLock) {
  Summary summary = even_ranks(2);
  add_wait(summary, "window lock", 0, 1, 2, "MPI_Win_lock", "MPI_Win_unlock");
  add_holder(summary, 0, 25, 0.01, 0, 1, "halo");
  add_holder(summary, 1, 25, 2.5, 25, 1, "halo");
  const ProblemSummary problem = worst(summary);
  EXPECT_EQ(problem.causer, 1);
  EXPECT_DOUBLE_EQ(problem.cost_s, 2);
  EXPECT_THAT(
      problem.text,
      StartsWith("Rank 0 waits 2.00 s in MPI_Win_lock (a.c:7) for the lock of the memory of rank 1 of MPI_COMM_WORLD "
                 "in window halo that rank 1 has (MPI_Win_unlock in a.c:9). It is held 50 times, "
                 "50.2 ms on average, longest 200 ms."));
}

TEST(WindowLockProblems, AHolderWithoutAProcessorIsNamedWithItsPlace) {
  Summary summary = even_ranks(2);
  add_wait(summary, "window lock", 0, 1, 2, "MPI_Win_lock", "MPI_Win_unlock");
  add_holder(summary, 1, 25, 2.5, 25);
  summary.delays = {{1, 0, "ready", "", "", "", 25, 1.8, 0},
                    {1, 0, "compute", "", "MPI_Win_lock", "a.c:7", 25, 0.2, 0}};
  const ProblemSummary problem = worst(summary);
  EXPECT_EQ(problem.causer, 1);
  EXPECT_EQ(problem.causer_function, "MPI_Win_unlock");
  EXPECT_EQ(problem.causer_place, "a.c:9");
  EXPECT_THAT(problem.text, HasSubstr(" It is late because it has no processor meanwhile."));
}

TEST(WindowLockProblems, OfRanksThatHaveALockInTurnNoneIsTheCause) {
  Summary summary = even_ranks(4);
  add_wait(summary, "window lock", 1, 2, 2, "MPI_Win_lock", "MPI_Win_unlock");
  add_wait(summary, "window lock", 3, 2, 2, "MPI_Win_lock", "MPI_Win_unlock");  // two thirds of the waits: by chance
  add_wait(summary, "window lock", 2, 1, 2, "MPI_Win_lock", "MPI_Win_unlock");
  for (const std::int32_t rank : {1, 2, 3}) add_holder(summary, rank, 10, 1, 10);
  const ProblemSummary problem = worst(summary);
  EXPECT_EQ(problem.causer, -1);
  EXPECT_THAT(
      problem.text,
      StartsWith("3 ranks wait 6.00 s in MPI_Win_lock (a.c:7) for the lock of the memory of rank 0 of MPI_COMM_WORLD "
                 "in a window, which has no single holder. Ranks 1, 2, 3 hold it in turn: 30 "
                 "times, 100 ms on average, longest 200 ms."));
  EXPECT_THAT(problem.text, Not(HasSubstr("In the end")));
}

TEST(WindowLockProblems, ManyHoldersAreCounted) {
  Summary summary = even_ranks(6);
  for (std::int32_t rank = 0; rank < 6; ++rank) {
    add_wait(summary, "window lock", rank, (rank + 1) % 6, 1, "MPI_Win_lock", "MPI_Win_unlock");
    add_holder(summary, rank, 10, 1, 10);
  }
  EXPECT_THAT(worst(summary).text, HasSubstr(" 6 ranks hold it in turn: 60 times"));
}

TEST(WindowLockProblems, ASummaryOfAnEarlierVersionNamesTheHolderOnly) {
  Summary summary = even_ranks(2);
  add_wait(summary, "window lock", 0, 1, 2, "MPI_Win_lock", "MPI_Win_unlock");
  EXPECT_THAT(worst(summary).text,
              StartsWith("Rank 0 waits 2.00 s in MPI_Win_lock (a.c:7) for the lock of a window that "
                         "rank 1 has (MPI_Win_unlock in a.c:9)."));
}

}  // namespace
}  // namespace meridian
