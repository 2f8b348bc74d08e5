// SPDX-License-Identifier: Apache-2.0
// How a run ended, in a sentence.
#include "summary/run_end.hpp"

#include <gmock/gmock.h>

#include "tests/unit/summary/problem_samples.hpp"
#include "tests/unit/summary/sample_summaries.hpp"

namespace meridian {
namespace {

using samples::end;
using testing::HasSubstr;
using testing::StartsWith;

TEST(RunEnd, OfAHangIsTheCallsLongestUnderWay) {
  Summary summary = samples::four_ranks();
  for (RankSummary& rank : summary.ranks) end(rank, "signal 15 (SIGTERM)", 60, "MPI_Recv (a.c:7)", 50 + rank.rank);
  EXPECT_EQ(
      describe_run_end(summary),
      "The program was ended from outside, by signal 15 (SIGTERM): rank 3 in MPI_Recv (a.c:7) for 53.0 s, rank 2 "
      "in MPI_Recv (a.c:7) for 52.0 s, rank 1 in MPI_Recv (a.c:7) for 51.0 s, rank 0 in MPI_Recv (a.c:7) for 50.0 "
      "s. If it hung, `meridian where` says who waits for whom.");
}

TEST(RunEnd, OfARankWhoseAlarmRangInACallIsAHangAndNotItsFault) {
  Summary summary = samples::four_ranks();
  for (RankSummary& rank : summary.ranks) end(rank, "signal 15 (SIGTERM)", 60, "MPI_Recv (a.c:7)", 50);
  end(summary.ranks[2], "signal 14 (SIGALRM)", 59, "MPI_Recv (a.c:7)", 49);
  EXPECT_EQ(cause_of_end(summary), nullptr);
  EXPECT_THAT(describe_run_end(summary),
              StartsWith("The program was ended by signal 14 (SIGALRM) in rank 2: rank 0 in MPI_Recv"));
  end(summary.ranks[2], "signal 14 (SIGALRM)", 59);
  EXPECT_THAT(describe_run_end(summary), StartsWith("Rank 2 was killed by signal 14 (SIGALRM) outside MPI"));
}

TEST(RunEnd, NamesTheRankThatASignalEnded) {
  Summary summary = samples::four_ranks();
  end(summary.ranks[0], "signal 15 (SIGTERM)", 9, "MPI_Barrier (a.c:9)", 1);
  end(summary.ranks[1], "signal 6 (SIGABRT)", 8.5);
  end(summary.ranks[2], "signal 11 (SIGSEGV)", 8);
  end(summary.ranks[3], "", 9, "MPI_Barrier (a.c:9)", 1);
  EXPECT_EQ(
      describe_run_end(summary),
      "Rank 2 was killed by signal 11 (SIGSEGV) outside MPI after 8.00 s. Look there first: another rank ended later, "
      "by itself, the others because of it, and the trace stops there.");
  end(summary.ranks[1], "signal 15 (SIGTERM)", 9);
  EXPECT_THAT(describe_run_end(summary), HasSubstr("first: the other ranks ended because of it, and the trace stops"));
  for (RankSummary& rank : summary.ranks) end(rank, "signal 11 (SIGSEGV)", 8 + rank.rank);
  EXPECT_THAT(describe_run_end(summary),
              HasSubstr("Rank 0 was killed by signal 11 (SIGSEGV) outside MPI after 8.00 s. Look "
                        "there first: 3 other ranks ended later, in the same way, and"));
}

TEST(RunEnd, NamesTheOnlyRankThatWasKilledBeforeTheLauncherEndedTheOthers) {
  Summary summary = samples::four_ranks();
  for (RankSummary& rank : summary.ranks) end(rank, "signal 15 (SIGTERM)", 9.1, "MPI_Barrier (a.c:9)", 1);
  end(summary.ranks[2], "signal 9 (SIGKILL)", 9, "MPI_Send (a.c:8)", 0.01);
  EXPECT_EQ(
      describe_run_end(summary),
      "Rank 2 was killed by signal 9 (SIGKILL) in MPI_Send (a.c:8) after 9.00 s. Look there first: the other ranks "
      "ended because of it, and the trace stops there.");
  end(summary.ranks[2], "signal 9 (SIGKILL)", 12, "MPI_Send (a.c:8)", 4);  // it had caught SIGTERM
  EXPECT_EQ(cause_of_end(summary), nullptr);
}

TEST(RunEnd, NamesTheOnlyRankThatASignalEndedLongBeforeTheOthers) {
  Summary summary = samples::four_ranks();
  for (RankSummary& rank : summary.ranks) end(rank, "signal 15 (SIGTERM)", 10, "MPI_Barrier (a.c:9)", 1);
  end(summary.ranks[1], "signal 15 (SIGTERM)", 9, "MPI_Send (a.c:8)", 0.01);
  ASSERT_EQ(cause_of_end(summary), &summary.ranks[1]);
  end(summary.ranks[1], "signal 15 (SIGTERM)", 9.9, "MPI_Send (a.c:8)", 0.01);  // one after the other, by the launcher
  EXPECT_EQ(cause_of_end(summary), nullptr);
  end(summary.ranks[1], "signal 15 (SIGTERM)", -1, "MPI_Send (a.c:8)", 0.01);
  EXPECT_EQ(cause_of_end(summary), nullptr);
  for (RankSummary& rank : summary.ranks) end(rank, "signal 9 (SIGKILL)", 12, "MPI_Barrier (a.c:9)", 3);
  end(summary.ranks[1], "signal 15 (SIGTERM)", 9, "MPI_Send (a.c:8)", 0.01);  // the others had caught SIGTERM
  EXPECT_EQ(cause_of_end(summary), nullptr);
}

TEST(RunEnd, RanksThatAllLeaveByExitHaveNoCause) {
  Summary summary = samples::four_ranks();
  for (RankSummary& rank : summary.ranks) end(rank, "exit 0", 8 + rank.rank);
  EXPECT_EQ(describe_run_end(summary), "All 4 ranks ended by exit without MPI_Finalize: the trace stops there.");
  EXPECT_EQ(cause_of_end(summary), nullptr);
  end(summary.ranks[3], "signal 15 (SIGTERM)", 12, "MPI_Barrier (a.c:9)", 1);
  EXPECT_THAT(describe_run_end(summary),
              StartsWith("Rank 0 ended with code 0 outside MPI after 8.00 s. Look there first"));
}

TEST(RunEnd, NamesTheRankThatCalledAbort) {
  Summary summary = samples::four_ranks();
  for (RankSummary& rank : summary.ranks) end(rank, "signal 9 (SIGKILL)", 8, "MPI_Barrier (a.c:9)", 1);
  end(summary.ranks[2], "MPI_Abort", 9, "MPI_Abort (a.c:8)");
  EXPECT_THAT(describe_run_end(summary), HasSubstr("Rank 2 called MPI_Abort (a.c:8) after 9.00 s."));
}

TEST(RunEnd, OfRanksThatTheLibraryEndsInACallIsThatOfTheRankThatCalledAbort) {
  Summary summary = samples::four_ranks();
  for (RankSummary& rank : summary.ranks) end(rank, "exit 255", 8.9, "MPI_Recv (a.c:9)", 1);
  end(summary.ranks[2], "MPI_Abort", 9, "MPI_Abort (a.c:8)", 0.5);
  EXPECT_EQ(describe_run_end(summary),
            "Rank 2 called MPI_Abort (a.c:8) after 8.50 s. Look there first: the other ranks ended because of it, and "
            "the trace stops there.");
  end(summary.ranks[1], "exit 3", 8.95);
  EXPECT_THAT(describe_run_end(summary), HasSubstr("another rank ended later, by itself, the others because of it"));
}

TEST(RunEnd, OfRanksThatCalledAbortIsThatOfTheFirstOne) {
  Summary summary = samples::four_ranks();
  for (RankSummary& rank : summary.ranks) end(rank, "MPI_Abort", 9, "MPI_Abort (a.c:8)", 0.5);
  end(summary.ranks[2], "MPI_Abort", 9.1, "MPI_Abort (a.c:8)", 0.7);
  EXPECT_THAT(describe_run_end(summary), StartsWith("Rank 2 called MPI_Abort (a.c:8) after 8.40 s."));
}

TEST(RunEnd, NamesTheOnlyRankThatEndedOutsideMpi) {
  Summary summary = samples::four_ranks();
  for (RankSummary& rank : summary.ranks) end(rank, "", -1, "MPI_Barrier (a.c:9)", 0);
  end(summary.ranks[1], "", -1);
  EXPECT_THAT(describe_run_end(summary), HasSubstr("Rank 1 ended outside MPI. Look there first"));
}

TEST(RunEnd, ARankOutsideMpiThatATimeLimitEndedWithAllOthersIsNotTheCause) {
  Summary summary = samples::four_ranks();
  for (RankSummary& rank : summary.ranks) end(rank, "signal 15 (SIGTERM)", 8, "MPI_Barrier (a.c:9)", 5);
  end(summary.ranks[1], "signal 15 (SIGTERM)", 7.9);
  EXPECT_EQ(cause_of_end(summary), nullptr);
  EXPECT_EQ(describe_run_end(summary),
            "The program was ended from outside, by signal 15 (SIGTERM): rank 0 in MPI_Barrier (a.c:9) for 5.00 s, "
            "rank 2 in MPI_Barrier (a.c:9) for 5.00 s, rank 3 in MPI_Barrier (a.c:9) for 5.00 s, rank 1 outside MPI. "
            "If it hung, `meridian where` says who waits for whom.");
  end(summary.ranks[1], "signal 15 (SIGTERM)", 7);
  EXPECT_EQ(cause_of_end(summary), &summary.ranks[1]) << "long before the others";
  for (RankSummary& rank : summary.ranks) rank.end = "signal 9 (SIGKILL)";
  summary.ranks[1].end_s = 7.9;
  EXPECT_EQ(cause_of_end(summary), &summary.ranks[1]) << "by the kernel, perhaps";
}

TEST(RunEnd, OfASnapshotIsNone) {
  Summary summary = samples::four_ranks();
  for (RankSummary& rank : summary.ranks) end(rank, "running", 8, "MPI_Wait (a.c:9)", 1);
  EXPECT_THAT(describe_run_end(summary), HasSubstr("The program was running when this snapshot was made: rank 0 in "));
}

}  // namespace
}  // namespace meridian
