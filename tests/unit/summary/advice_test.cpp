// SPDX-License-Identifier: Apache-2.0
#include "summary/advice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "summary/measures.hpp"
#include "tests/unit/summary/sample_summaries.hpp"

namespace meridian {
namespace {

using testing::Contains;
using testing::Each;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

TEST(Advice, ForARunWithoutCallsExplainsHowToRecord) {
  const auto advice = advise(samples::empty_run());
  ASSERT_THAT(advice, SizeIs(1));
  EXPECT_THAT(advice[0], HasSubstr("mpirun -n 4 meridian run"));
}

TEST(Advice, NamesTheSlowRankAndTheGain) {
  // Outside MPI: 4, 4, 4 and 8 s; mean 5 s; run 10 s.
  EXPECT_THAT(
      advise(samples::four_ranks()),
      Contains("Rank 3 is the slow one: it works 8.00 s outside MPI, the mean is 5.00 s, and the others wait for it. "
               "Sharing its work evenly would save up to 3.00 s (30.0 % of the run)."));
}

TEST(Advice, DoesNotBlameARankWhenAllWorkEvenly) {
  Summary summary = samples::four_ranks();
  for (RankSummary& rank : summary.ranks) rank.mpi_s = 0.6 * rank.thread_s;
  EXPECT_THAT(advise(summary), Contains(HasSubstr("The ranks work evenly (balance 100.0 %)")));
  EXPECT_THAT(advise(summary), Each(Not(HasSubstr("slow one"))));
}

TEST(Advice, DoesNotBlameARankWhenLittleWouldBeGained) {
  Summary summary = samples::four_ranks();
  for (RankSummary& rank : summary.ranks) rank.mpi_s = (rank.rank == 3 ? 0.978 : 0.99) * rank.thread_s;
  EXPECT_THAT(advise(summary),
              Contains("The ranks' work differs (rank 3: 220 ms outside MPI, mean 130 ms), but that is only "
                       "0.9 % of the run: the rest is the communication itself, or more ranks than cores."));
}

TEST(Advice, SendsTheUserToTheComputationWhenMpiTakesLittle) {
  EXPECT_THAT(advise(samples::one_rank()), Contains(HasSubstr("MPI takes only 3.1 % of the ranks' time")));
}

TEST(Advice, NoShareIncludesStartAndEnd) {
  // Of the 26 s in MPI and 50 s of the threads, 4 x 5.5 s become start and end.
  Summary summary = samples::four_ranks();
  for (RankSummary& rank : summary.ranks) {
    rank.ends_s = 5.5;
    rank.mpi_s += 5.5;
    rank.thread_s += 5.5;
  }
  EXPECT_THAT(advise(summary), Contains(HasSubstr("MPI_Waitall takes 76.9 % of the time in MPI between MPI_Init and")));
  for (RankSummary& rank : summary.ranks) {
    rank.ends_s += 94.5;
    rank.mpi_s += 94.5;
    rank.thread_s += 94.5;
  }
  const auto advice = advise(summary);
  EXPECT_THAT(advice, Contains("MPI_Init and MPI_Finalize are 88.9 % of the run; no share includes them. The rest is "
                               "short: trace a longer run."));
  EXPECT_THAT(advice, Contains(HasSubstr("MPI_Waitall takes 76.9 % of the time in MPI"))) << "and the rest is judged";
  EXPECT_DOUBLE_EQ(mpi_share(summary), 26.0 / 50);
}

TEST(Advice, NamesTheLockForWhichTheSlowRankWaits) {
  Summary summary = samples::four_ranks();
  summary.ranks[3].waits_s = 6;
  summary.locks = {{1, "mutex", 0x10, 1, 9, 9, 7.0, 1, 1, -1, 0, 1, 9},
                   {3, "mutex", 0xabc, 1, 5, 2, 6.0, 4, 1, 2, 2, 0, 2},
                   {3, "barrier", 0x999, 1, 5, 2, 9.0, 4, 1, 2, 2, 0, 2},
                   {3, "spin", 0xdef, 1, 5, 2, 1.0, 4, 1, 2, 2, 0, 2}};
  const auto advice = advise(summary);
  EXPECT_THAT(
      advice,
      Contains("Rank 3 is the slow one: it is outside MPI for 8.00 s, the mean is 5.00 s, and the others wait for "
               "it. It does not work all that time: its threads that call MPI wait 6.00 s for locks and other "
               "threads (the mutex 0xabc: 6.00 s in 2 waits, mostly while thread 2 had it). Begin with these "
               "waits."));
  EXPECT_THAT(advice, Contains(HasSubstr("MPI_Waitall takes 76.9 % of the time in MPI (100000 calls")));
  EXPECT_THAT(advice, Each(Not(HasSubstr("start there"))));
}

TEST(Advice, NamesWaitsThatAllRanksHave) {
  Summary summary = samples::four_ranks();
  for (RankSummary& rank : summary.ranks) {
    rank.mpi_s = 0.6 * rank.thread_s;
    rank.waits_s = 2;
  }
  summary.locks = {{1, "mutex", 0x10, 1, 9, 1, 2.0, 2, 1, -1, 0, 1, 1}};
  EXPECT_THAT(advise(summary),
              Contains("50.0 % of the time outside MPI is no work: threads that call MPI wait there for "
                       "locks and other threads, 8.00 s in all (most for the mutex 0x10 on rank 1: "
                       "2.00 s in one wait)."));
}

TEST(Advice, EnlargesTheRingsWhenThreadsWaitForRoom) {
  Summary summary = samples::four_ranks();
  summary.overhead = {{"start", 4, 0.04, 0.001}, {"flush wait", 12, 13.6, 0.34}};
  const auto advice = advise(summary);
  EXPECT_THAT(advice, Contains(HasSubstr("The program waited 34.0 % of the run for room in full rings")));
  EXPECT_THAT(advice, Contains(HasSubstr("MERIDIAN_BUFFER=16M")));
  EXPECT_THAT(advice, Each(Not(HasSubstr("The tracer"))));
}

TEST(Advice, BlamesAShortRunForTheTracersStart) {
  Summary summary = samples::four_ranks();
  summary.overhead = {{"start", 4, 0.9, 0.02}, {"thread attach", 4, 0.9, 0.02}};
  EXPECT_THAT(advise(summary), Contains("The tracer's start and end took 4.0 % of the run: trace a longer one."));
}

void end(RankSummary& rank, const char* how, double end_s, const char* call = "", double call_s = 0) {
  rank.end = how;
  rank.end_s = end_s;
  rank.end_call = call;
  rank.end_call_s = call_s;
}

TEST(Advice, NamesTheCallsOfAHangFirst) {
  Summary summary = samples::four_ranks();
  summary.findings = {{"rank.unfinished", Severity::data_loss, 4, "", "", ""}};
  for (RankSummary& rank : summary.ranks) end(rank, "signal 15 (SIGTERM)", 60, "MPI_Recv (a.c:7)", 50 + rank.rank);
  for (RankSummary& rank : summary.ranks) rank.mpi_s = rank.thread_s = 60;
  const auto advice = advise(summary);
  EXPECT_EQ(
      advice.front(),
      "The program was ended from outside, by signal 15 (SIGTERM): rank 3 in MPI_Recv (a.c:7) for 53.0 s, rank 2 "
      "in MPI_Recv (a.c:7) for 52.0 s, rank 1 in MPI_Recv (a.c:7) for 51.0 s, rank 0 in MPI_Recv (a.c:7) for 50.0 "
      "s. If it hung, `meridian where` says who waits for whom.");
  EXPECT_THAT(advice, Each(Not(HasSubstr("start there")))) << "the time is that of the hang";
  EXPECT_THAT(advice, Each(Not(HasSubstr("slow one"))));
  EXPECT_THAT(advice, Each(Not(HasSubstr("lower bounds"))));
}

TEST(Advice, NamesTheRankThatASignalEnded) {
  Summary summary = samples::four_ranks();
  end(summary.ranks[0], "signal 15 (SIGTERM)", 9, "MPI_Barrier (a.c:9)", 1);
  end(summary.ranks[1], "signal 6 (SIGABRT)", 8.5);
  end(summary.ranks[2], "signal 11 (SIGSEGV)", 8);
  end(summary.ranks[3], "", 9, "MPI_Barrier (a.c:9)", 1);
  EXPECT_EQ(advise(summary).front(),
            "Rank 2 was killed by signal 11 (SIGSEGV) outside MPI after 8.00 s. Look there "
            "first: the other ranks ended because of it, and the trace stops there.");
}

TEST(Advice, NamesTheRankThatCalledAbort) {
  Summary summary = samples::four_ranks();
  for (RankSummary& rank : summary.ranks) end(rank, "signal 9 (SIGKILL)", 8, "MPI_Barrier (a.c:9)", 1);
  end(summary.ranks[2], "MPI_Abort", 9, "MPI_Abort (a.c:8)");
  EXPECT_THAT(advise(summary).front(), HasSubstr("Rank 2 called MPI_Abort (a.c:8) after 9.00 s."));
}

TEST(Advice, NamesTheOnlyRankThatEndedOutsideMpi) {
  Summary summary = samples::four_ranks();
  for (RankSummary& rank : summary.ranks) end(rank, "", -1, "MPI_Barrier (a.c:9)", 0);
  end(summary.ranks[1], "", -1);
  EXPECT_THAT(advise(summary).front(), HasSubstr("Rank 1 ended outside MPI. Look there first"));
}

TEST(Advice, SaysThatASnapshotIsNoEnd) {
  Summary summary = samples::four_ranks();
  for (RankSummary& rank : summary.ranks) end(rank, "running", 8, "MPI_Wait (a.c:9)", 1);
  EXPECT_THAT(advise(summary).front(), HasSubstr("The program was running when this snapshot was made: rank 0 in "));
}

TEST(Advice, PutsErrorsFirst) {
  EXPECT_THAT(advise(samples::four_ranks()).front(), HasSubstr("Look at the error above first"));
}

TEST(Advice, WarnsOfLossesIfThereIsNoError) {
  EXPECT_THAT(advise(samples::ten_thousand_ranks()).front(), HasSubstr("lower bounds"));
}

TEST(Advice, SeesSmallMessages) {
  Summary summary = samples::four_ranks();
  EXPECT_THAT(advise(summary), Each(Not(HasSubstr("save latency"))));
  summary.messages.bytes = 200'000 * 64;
  EXPECT_THAT(advise(summary),
              Contains("200000 messages carry 64.0 B on average: fewer and larger ones would save latency."));
}

TEST(Advice, SeesARankThatReceivesMostMessages) {
  Summary summary = samples::four_ranks();
  summary.ranks[2].messages_received = 150'000;
  EXPECT_THAT(advise(summary), Contains(HasSubstr("Rank 2 receives 75.0 % of all messages")));
}

TEST(Advice, SeesPolling) {
  Summary summary = samples::four_ranks();
  summary.functions.push_back({"MPI_Iprobe", "p2p", 300'000, 1, 1e-6, 1e-7, 1e-5, 1e-6, 0, 0});
  EXPECT_THAT(advise(summary), Contains(HasSubstr("MPI_Iprobe is 75.0 % of all calls: the program polls")));
}

TEST(Advice, SeesThatTheTracerDisturbs) {
  Summary summary = samples::four_ranks();
  summary.overhead.front().share = 0.03;
  EXPECT_THAT(advise(summary), Contains(HasSubstr("The tracer itself took 3.0 % of the run: record less")));
  EXPECT_THAT(advise(samples::ten_thousand_ranks()), Contains(HasSubstr("The program waited 4.9 % of the run")));
  EXPECT_THAT(advise(samples::four_ranks()), Each(Not(HasSubstr("The tracer itself"))));
}

TEST(Advice, DescribesTheCertaintyOfTheOrder) {
  EXPECT_THAT(advise(samples::four_ranks()), Contains(HasSubstr("differences below 420 ns mean nothing")));
}

TEST(Advice, EndsWithTheSourcesOfTheFigures) {
  EXPECT_THAT(advise(samples::one_rank()).back(), HasSubstr("meridian stats --json"));
}

}  // namespace
}  // namespace meridian
