// SPDX-License-Identifier: Apache-2.0
// Problems of which each second counts for one only, and who is the cause.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "summary/problems/problems.hpp"
#include "tests/unit/summary/problem_samples.hpp"

namespace meridian {
namespace {

using samples::add_wait;
using samples::are_ready;
using samples::even_ranks;
using samples::first;
using samples::found;

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

double sum_of_shares(const Summary& summary) {
  double sum = 0;
  for (const ProblemSummary& problem : find_problems(summary)) sum += problem.share;
  return sum;
}

TEST(ProblemCosts, AreNeverMoreThanTheTimeOfTheRanks) {
  Summary summary = even_ranks(4);
  are_ready(summary, 9);
  summary.ranks[2].mpi_s = 2;
  add_wait(summary, "late sender", 0, 2, 6, "MPI_Recv", "MPI_Send");
  add_wait(summary, "wait at barrier", 1, -1, 6);
  summary.functions = {
      {"MPI_Recv", "p2p", 10, 12, 1}, {"MPI_Barrier", "coll", 10, 8, 1}, {"MPI_Comm_dup", "comm", 9, 9, 1}};
  EXPECT_LE(sum_of_shares(summary), 1);
  EXPECT_GT(sum_of_shares(summary), 0.9);
}

TEST(ProblemCosts, OfATraceWithoutTimeAreNone) {
  EXPECT_THAT(found(Summary{}), IsEmpty());
  Summary summary = even_ranks(1);
  summary.ranks[0].time_s = summary.ranks[0].thread_s = summary.ranks[0].mpi_s = 0;
  EXPECT_THAT(found(summary), IsEmpty());
}

TEST(ProblemCosts, OfIntervalsTheLongestThreadCountsWhetherItCallsMpiOrNot) {
  Summary summary = even_ranks(1);
  summary.ready_times = {{0, 0, 1, 0.5, 3}, {0, 1, 2, 0, 0}};
  EXPECT_THAT(found(summary), ElementsAre("lack of processors 0.20"));
}

TEST(ProblemCosts, ThreadsThatLiveOneAfterTheOtherLoseOneAfterTheOther) {
  Summary summary = even_ranks(1);
  summary.threads.resize(4);
  for (std::uint32_t i = 0; i < 4; ++i) {  // two at a time
    summary.threads[i].thread = i + 1;
    summary.threads[i].begin_s = i < 2 ? 1 : 2;
    summary.threads[i].life_s = i == 0 ? 1.5 : 1;
  }
  summary.ready_times = {{0, 1, 1.4, 0, 0}, {0, 2, 0.9, 0, 0}, {0, 3, 0.5, 0, 0}, {0, 4, 0.8, 0, 0}};
  EXPECT_THAT(found(summary), ElementsAre("lack of processors 0.17"))
      << "2 and 4: 0.9 and 0.8 s; the first lives beside all others";
}

TEST(ProblemCosts, ImbalanceIsThatOfTheTimeWithAProcessor) {
  Summary summary = even_ranks(2);
  summary.ranks[1].mpi_s = 2;
  EXPECT_THAT(found(summary), ElementsAre("imbalance 0.20 of rank 1"));
  summary.ready_times = {{1, 0, 4, 0, 0}};
  EXPECT_THAT(found(summary), ElementsAre("lack of processors 0.20"));
}

TEST(ProblemCosts, OfAWaitThePartThatIsChargedToReadyCountsForTheLack) {
  Summary summary = even_ranks(2);
  summary.ranks[1].mpi_s = 3;
  add_wait(summary, "wait at barrier", 0, 1, 4);
  summary.delays = {{1, 0, "compute", "", "MPI_Barrier", "a.c:9", 1, 1, 0}, {1, 0, "ready", "", "", "", 1, 3, 0}};
  summary.ready_times = {{1, 0, 3, 0, 0}};
  EXPECT_THAT(found(summary), ElementsAre("lack of processors 0.30", "wait at barrier 0.05 of rank 1"));
  EXPECT_THAT(first(summary).text,
              HasSubstr("Ranks were ready to run for 3.00 s and had no processor, and others waited 3.00 s"));
}

TEST(ProblemCosts, WaitsForThreadsOfTheOwnRankAreNotThoseOfOtherRanks) {
  Summary summary = even_ranks(2);
  summary.ranks[1].mpi_s = 3;
  add_wait(summary, "wait at barrier", 0, 1, 4);
  summary.delays = {{1, 0, "compute", "", "MPI_Barrier", "a.c:9", 2, 4, 0, 1},
                    {1, 0, "ready", "", "", "", 2, 3, 0, 2}};  // one second of rank 0, two of thread 1 of rank 1
  summary.ready_times = {{1, 0, 2, 0, 0}};
  EXPECT_THAT(found(summary), ElementsAre("wait at barrier 0.15 of rank 1", "lack of processors 0.15"));
  EXPECT_THAT(find_problems(summary)[1].text,
              HasSubstr("Ranks were ready to run for 2.00 s and had no processor, and others waited 1.00 s for them."));
}

TEST(ProblemCosts, OfAllKindsOfWaitsThePartThatIsChargedToReadyCounts) {
  for (const char* const kind : {"early reduce", "early wait", "window lock", "wrong order, same source"}) {
    Summary summary = even_ranks(2);
    summary.ranks[0].mpi_s = 5;  // 4 s of it are the wait, and in the other second the rank had no processor for 0.9 s
    add_wait(summary, kind, 0, 1, 4);
    summary.delays = {{1, 0, "compute", "", "MPI_Barrier", "a.c:9", 1, 3.6, 0}, {1, 0, "ready", "", "", "", 1, 0.4, 0}};
    summary.ready_times = {{0, 0, 0, 0.9, 0}};
    EXPECT_THAT(found(summary), Contains(std::string{kind} + " 0.18 of rank 1"));
  }
}

TEST(ProblemCosts, RanksThatShareTheFirstPlaceAreNamedTogether) {
  Summary summary = even_ranks(4);
  for (const std::size_t rank : {0U, 1U, 3U}) summary.ranks[rank].mpi_s = 2;
  summary.ranks[1].mpi_s = 2.1;
  const ProblemSummary problem = first(summary);
  EXPECT_EQ(problem.text, "Ranks 0, 1 and 3 work 8.00 s outside MPI, the other 4.00 s.");
  EXPECT_EQ(problem.causer, -1);
  EXPECT_EQ(problem.causers, "0,1,3");
  EXPECT_DOUBLE_EQ(problem.cost_s, 4);
  add_wait(summary, "wait at N x N", 2, 3, 4, "MPI_Allreduce");
  EXPECT_THAT(found(summary), ElementsAre("wait at N x N 0.10 of rank 3", "imbalance 0.05"))
      << "2 s of rank 2 in MPI are not explained by its waits";
  EXPECT_EQ(find_problems(summary)[1].remedy, "Share their work evenly: that would save up to 1.03 s.");
  add_wait(summary, "wait at N x N", 2, 3, 1, "MPI_Allreduce");
  EXPECT_EQ(find_problems(summary)[1].remedy, "Share their work evenly.");
  EXPECT_THAT(find_problems(summary)[1].text, HasSubstr(" Most of what that costs is counted as waits."));
}

TEST(ProblemCosts, ARankWaitsInOneCommunicatorForTheRankThatIsInIt) {
  Summary summary = even_ranks(4);
  add_wait(summary, "wait at N x N", 2, 3, 0.73, "MPI_Allreduce");
  add_wait(summary, "wait at N x N", 0, 1, 0.01, "MPI_Allreduce");
  add_wait(summary, "wait at N x N", 1, 0, 0.01, "MPI_Allreduce");
  EXPECT_EQ(first(summary).text, "Rank 2 waits 750 ms in MPI_Allreduce (a.c:7) for rank 3, mostly the last to enter.");
}

TEST(ProblemCosts, ARankThatWorksLongerIsToGetLessWorkWhateverOthersWaitIn) {
  Summary summary = even_ranks(2);
  summary.ranks[0].mpi_s = 1;
  summary.run.executable = "/usr/bin/lmp";
  add_wait(summary, "late receiver", 1, 0, 5, "MPI_Send", "MPI_Recv");
  EXPECT_EQ(first(summary).remedy, "Give rank 0 less work: its waiters then wait less. (LAMMPS: `fix balance`)");
}

TEST(ProblemCosts, SendsThatEndOneAfterAnotherAreOneProblem) {
  Summary summary = even_ranks(4);
  for (std::int32_t rank = 0; rank < 3; ++rank)
    add_wait(summary, "late receiver", rank, rank + 1, 3 - rank, "MPI_Send", "MPI_Recv");
  EXPECT_THAT(found(summary), ElementsAre("serialisation 0.15"));
  EXPECT_EQ(first(summary).text,
            "3 ranks wait 6.00 s in MPI_Send (a.c:7), one behind the other: the sends of the chain of ranks 0, 1, 2, 3 "
            "end from its end on, each when the next rank receives.");
}

TEST(ProblemCosts, AMasterIsToGiveLargerTasks) {
  Summary summary = even_ranks(3);
  summary.ranks[0].messages_sent = summary.ranks[0].messages_received = 100;
  for (const std::size_t rank : {1U, 2U})
    summary.ranks[rank].messages_sent = summary.ranks[rank].messages_received = 50;
  for (const std::int32_t rank : {1, 2}) add_wait(summary, "late sender", rank, 0, 3, "MPI_Recv", "MPI_Send");
  EXPECT_EQ(first(summary).remedy,
            "Rank 0 answers all other ranks in turn: give them larger tasks, or have several such ranks.");
}

TEST(ProblemCosts, ALoopOfSendsToAllRanksIsToBeACollective) {
  Summary summary = even_ranks(4);
  summary.ranks[0].messages_sent = 300;
  for (const std::size_t rank : {1U, 2U, 3U}) summary.ranks[rank].messages_received = 100;
  for (const std::int32_t rank : {1, 2, 3}) add_wait(summary, "late sender", rank, 0, rank, "MPI_Recv", "MPI_Send");
  EXPECT_EQ(first(summary).remedy,
            "Rank 0 sends to the other ranks in turn: a collective (MPI_Bcast, MPI_Scatter) takes fewer steps.");
}

TEST(ProblemCosts, AnyGroupOfCallsCanBeAProblem) {
  Summary summary = even_ranks(2);
  summary.functions = {{"MPI_Comm_split", "comm", 3000, 6, 0.002},
                       {"MPI_Comm_free", "comm", 3000, 2, 0.001},
                       {"MPI_Type_commit", "type", 10, 3, 0.3},
                       {"MPI_Init", "env", 2, 5, 2.5}};
  EXPECT_THAT(found(summary), ElementsAre("communicators 0.40", "other calls 0.15"));
  EXPECT_EQ(first(summary).text,
            "Making and freeing communicators takes 8.00 s, most in MPI_Comm_split: 3000 calls of 2.00 ms on average. "
            "Waits for other ranks in these calls are not known.");
  EXPECT_EQ(find_problems(summary)[1].text,
            "MPI_Type_commit takes 3.00 s, which fits no pattern: 10 calls of 300 ms on average.");
}

TEST(ProblemCosts, SmallAccessesOfWindowsAreOneProblemWithTheirSynchronization) {
  Summary summary = even_ranks(2);
  summary.functions = {{"MPI_Win_fence", "rma", 2000, 4, 0.002}, {"MPI_Put", "rma", 2000, 2, 0.001, 0, 0, 0, 16'000}};
  add_wait(summary, "wait at fence", 0, 1, 1, "MPI_Win_fence");
  EXPECT_THAT(found(summary), ElementsAre("small accesses 0.25", "wait at fence 0.05 of rank 1"));
  EXPECT_THAT(first(summary).text, HasSubstr("2000 accesses of windows carry 8 B on average"));
}

TEST(ProblemCosts, RemediesFitTheCall) {
  Summary summary = even_ranks(2);
  const auto remedy = [&](const char* name, const char* group, std::uint64_t bytes) {
    summary.functions = {{name, group, 10, 4, 0.4, 0, 0, 0, bytes}};
    return first(summary).remedy;
  };
  for (const auto& [name, group] : {std::pair{"MPI_Barrier", "coll"}, {"MPI_Win_fence", "rma"}, {"MPI_Probe", "p2p"}})
    EXPECT_THAT(remedy(name, group, 0), Not(HasSubstr("data")));
  EXPECT_THAT(remedy("MPI_Sendrecv", "p2p", 10 << 24), Not(HasSubstr("larger")));
  EXPECT_THAT(remedy("MPI_Waitall", "request", 0), Not(HasSubstr("non-blocking")));
  EXPECT_THAT(remedy("MPI_Test", "request", 0), HasSubstr("Compute for longer between two tests"));
}

TEST(ProblemCosts, UnevenVolumesOfACollectiveAreNamedByRank) {
  Summary summary = even_ranks(4);
  summary.functions = {{"MPI_Alltoallv", "coll", 10, 4, 0.4, 0, 0, 0, 1000}};
  for (RankSummary& rank : summary.ranks) rank.other_bytes_sent = 1;
  summary.ranks[2].other_bytes_sent = 2997;
  EXPECT_THAT(first(summary).text, HasSubstr("Volumes are uneven: rank 2 sends 99.9 % of the bytes of collectives."));
}

TEST(ProblemCosts, CallsThatNeverReturnedAreNoTransferButWaitForTheRankThatEnded) {
  Summary summary = even_ranks(2);
  summary.ranks[0].end = "signal 15 (SIGTERM)";
  summary.ranks[0].end_call = "MPI_Recv (a.c:7)";
  summary.ranks[0].end_call_s = 5;
  summary.ranks[1].end = "signal 11 (SIGSEGV)";
  summary.ranks[1].end_s = 8;
  summary.functions = {{"MPI_Recv", "p2p", 1, 5, 5}};
  EXPECT_THAT(found(summary), ElementsAre("unfinished calls 0.25 of rank 1"));
  EXPECT_EQ(
      first(summary).text,
      "One rank waited for what never came: rank 0 for 5.00 s in MPI_Recv (a.c:7). Rank 1 was killed by signal 11 "
      "(SIGSEGV) outside MPI.");
  EXPECT_EQ(first(summary).place, "a.c:7");
  EXPECT_EQ(first(summary).remedy, "Find out why rank 1 ended.");
  summary.ranks[0].end_s = 9;
  summary.ranks[1].end = "signal 9 (SIGKILL)";
  EXPECT_EQ(first(summary).remedy,
            "Find out why rank 1 ended. Linux ends a process in this way if memory runs out: `dmesg` tells.");
}

TEST(ProblemCosts, TheCallThatEndsTheRunIsNone) {
  Summary summary = even_ranks(2);
  summary.ranks[1].end = "MPI_Abort";
  summary.ranks[1].end_call = "MPI_Abort (a.c:7)";
  summary.ranks[1].end_call_s = 2;
  summary.functions = {{"MPI_Abort", "other", 1, 2, 2}};
  EXPECT_THAT(found(summary), IsEmpty());
}

TEST(ProblemCosts, ACircleOfRanksIsTheFirstProblem) {
  Summary summary = even_ranks(2);
  for (RankSummary& rank : summary.ranks) {
    rank.end = "signal 15 (SIGTERM)";
    rank.end_call = "MPI_Recv (a.c:7)";
    rank.end_call_s = 5;
  }
  EXPECT_THAT(found(summary), ElementsAre("unfinished calls 0.50"));
  summary.findings = {{"rank.deadlock", {}, 2, "Text.", "Break it.", "rank 0 waits for rank 1, rank 1 for rank 0"}};
  EXPECT_THAT(found(summary), ElementsAre("deadlock 0.50"));
  EXPECT_EQ(first(summary).text,
            "2 ranks waited for one another until the program was ended: rank 0 waits for rank 1, rank 1 for rank 0.");
  EXPECT_EQ(first(summary).remedy, "Break it.");
}

Summary with_slow_iterations(const std::vector<std::uint64_t>& slow, double each_s) {
  Summary summary = even_ranks(2);
  PhaseSummary& phase = summary.phases.emplace_back();
  phase.function = "MPI_Allreduce";
  phase.iterations = 999;
  phase.unit = "iteration";
  for (const std::uint64_t iteration : slow)
    summary.iteration_findings.push_back({0, "slow iteration", iteration, 1, 0.01, 0.5, each_s, "Iteration is slow."});
  return summary;
}

TEST(ProblemCosts, SlowIterationsThatComeAgainAndAgainHaveAPeriod) {
  const ProblemSummary problem = first(with_slow_iterations({7, 57, 207, 457}, 0.5));
  EXPECT_EQ(problem.text, "Iteration is slow. The slow iterations are 50 or a multiple of that apart.");
  EXPECT_THAT(problem.remedy, HasSubstr("in these iterations only"));
  EXPECT_THAT(first(with_slow_iterations({7, 57, 207, 907}, 0.5)).text, HasSubstr("4 of 999 iterations are slow."))
      << "of 19 multiples these may be four by chance";
}

TEST(ProblemCosts, FewSlowIterationsAreOneLine) {
  const Summary summary = with_slow_iterations({7, 13, 200}, 0.2);
  EXPECT_EQ(first(summary).text, "3 iterations are slow, which may be noise of the machine.");
  EXPECT_EQ(first(summary).remedy, "");
}

TEST(ProblemCosts, WaitsThatSlowIterationsCauseAreTheirs) {
  Summary summary = with_slow_iterations({7, 13, 200}, 0.5);
  add_wait(summary, "wait at N x N", 0, -1, 4, "MPI_Allreduce");
  EXPECT_THAT(found(summary), ElementsAre("wait at N x N 0.12", "slow iterations 0.07 of rank 1"));
  EXPECT_THAT(first(summary).text, HasSubstr("1.50 s of that is part of the slow iterations."));
  summary.iteration_findings.push_back(summary.iteration_findings.front());
  summary.iteration_findings.back().rank = 0;
  EXPECT_THAT(find_problems(summary).front().text, HasSubstr("2.00 s of that is part of the slow iterations."));
}

TEST(ProblemCosts, ProbesThatFindNothingAreNoCostOfSmallMessages) {
  Summary summary = even_ranks(2);
  summary.messages.matched = 20'000;
  summary.messages.bytes = 160'000;
  summary.functions = {{"MPI_Iprobe", "p2p", 40'000'000, 4}, {"MPI_Recv", "p2p", 20'000, 1}};
  EXPECT_THAT(found(summary), ElementsAre("transfer 0.20", "small messages 0.05"));
  const std::vector<ProblemSummary> problems = find_problems(summary);
  EXPECT_EQ(problems.at(0).text,
            "MPI_Iprobe takes 4.00 s besides waits for other ranks: 40.0 M calls of 100 ns on average.");
  EXPECT_THAT(problems.at(0).remedy, HasSubstr("Receive without asking first"));
  EXPECT_THAT(problems.at(1).remedy, HasSubstr("each costs 50.0 us here"));
}

TEST(ProblemCosts, ProbesThatFindSmallMessagesAreTheirCost) {
  Summary summary = even_ranks(2);
  summary.messages.matched = 20'000;
  summary.messages.bytes = 160'000;
  summary.functions = {{"MPI_Iprobe", "p2p", 40'000, 4}, {"MPI_Recv", "p2p", 20'000, 1}};
  EXPECT_THAT(found(summary), ElementsAre("small messages 0.25"));
}

}  // namespace
}  // namespace meridian
