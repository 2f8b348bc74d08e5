// SPDX-License-Identifier: Apache-2.0
// Problems that are found in a summary, their cost and order, and the section VERDICT.
#include "summary/problems/problems.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "cli/summary/text/text.hpp"
#include "summary/run_end.hpp"
#include "tests/unit/summary/problem_samples.hpp"
#include "tests/unit/summary/sample_summaries.hpp"

namespace meridian {
namespace {

using samples::add_wait;
using samples::end;
using samples::even_ranks;
using samples::found;

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST(Problems, OfAnEvenRunWithoutWaitsAreNone) { EXPECT_THAT(found(even_ranks(4)), IsEmpty()); }

TEST(Problems, ARankForWhichMostTimeIsWaitedIsTheCause) {
  Summary summary = even_ranks(4);
  add_wait(summary, "wait at barrier", 0, 3, 5);
  add_wait(summary, "wait at barrier", 1, 3, 4);
  add_wait(summary, "wait at barrier", 3, 1, 1);
  ASSERT_THAT(found(summary), ElementsAre("wait at barrier 0.25 of rank 3"));
  const ProblemSummary problem = find_problems(summary).front();
  EXPECT_EQ(problem.text,
            "2 ranks wait 9.00 s in MPI_Barrier (a.c:7) for rank 3, mostly the last to enter; other waits there take "
            "1.00 s.");
  EXPECT_EQ(problem.cost_s, 10);
  EXPECT_EQ(problem.place, "a.c:7");
}

TEST(Problems, RanksThatAreLateInTurnsAreNoSingleCause) {
  Summary summary = even_ranks(2);
  add_wait(summary, "wait at barrier", 0, 1, 2);
  add_wait(summary, "wait at barrier", 1, 0, 2);
  ASSERT_THAT(found(summary), ElementsAre("wait at barrier 0.20"));
  EXPECT_THAT(find_problems(summary).front().text, HasSubstr("for each other; the last rank differs."));
}

TEST(Problems, RanksThatWaitInAChainWaitForItsFirstOne) {
  Summary summary = even_ranks(4);
  for (std::int32_t rank = 1; rank < 4; ++rank)
    add_wait(summary, "late sender", rank, rank - 1, 2, "MPI_Recv", "MPI_Send");
  summary.delays = {{0, 0, "compute", "", "MPI_Send", "a.c:9", 10, 2, 2},
                    {2, 0, "call", "", "MPI_Bcast", "a.c:3", 10, 0, 2}};
  EXPECT_EQ(
      find_problems(summary).front().text,
      "3 ranks wait 6.00 s in MPI_Recv (a.c:7) for messages that are sent late (MPI_Send in a.c:9). In the end they "
      "wait for rank 0, which computes after MPI_Send (a.c:9).");
  EXPECT_THAT(found(summary), ElementsAre("late sender 0.15 of rank 0"));
  summary.delays[1].short_term_s = 1;  // more than two fifths of the messages' waits may be charged to rank 2
  EXPECT_THAT(found(summary), ElementsAre("late sender 0.15"));
}

TEST(Problems, ALateSenderIsNamedWithItsCall) {
  Summary summary = even_ranks(2);
  add_wait(summary, "late sender", 1, 0, 2, "MPI_Recv", "MPI_Send");
  EXPECT_EQ(find_problems(summary).front().text,
            "Rank 1 waits 2.00 s in MPI_Recv (a.c:7) for messages that rank 0 sends late (MPI_Send in a.c:9).");
}

TEST(Problems, WaitsInPollsAreSaidToLeaveOutTheTimeBetweenThem) {
  Summary summary = even_ranks(2);
  add_wait(summary, "late sender", 1, 0, 2, "MPI_Test", "MPI_Send");
  EXPECT_EQ(
      find_problems(summary).front().text,
      "Rank 1 waits 2.00 s in MPI_Test (a.c:7) for messages that rank 0 sends late (MPI_Send in a.c:9). Only the time "
      "inside these calls counts, not that between them.");
}

TEST(Problems, TheWorkOfTheCauseIsComparedWithTheMean) {
  Summary summary = even_ranks(2);
  summary.ranks[0].mpi_s = 2;
  add_wait(summary, "wait at N x N", 1, 0, 4);
  EXPECT_THAT(find_problems(summary).front().text, HasSubstr("Rank 0 is outside MPI for 8.00 s, the mean is 6.00 s."));
  summary.ranks[0].mpi_s = summary.ranks[1].mpi_s - 0.1;  // 1 % more than the mean explains nothing
  EXPECT_THAT(find_problems(summary).front().text, Not(HasSubstr("the mean is")));
}

TEST(Problems, StartAndEndOfTheRunAreNone) {
  Summary summary = even_ranks(2);
  add_wait(summary, "wait at init", 1, 0, 4);
  add_wait(summary, "wait at finalize", 1, 0, 4);
  EXPECT_THAT(found(summary), IsEmpty());
}

TEST(Problems, WhatCostsLessThanAHundredthIsNone) {
  Summary summary = even_ranks(2);
  add_wait(summary, "late sender", 1, 0, 0.19, "MPI_Recv");
  EXPECT_THAT(found(summary), IsEmpty());
  summary.waits[0].total_s = 0.2;
  EXPECT_THAT(found(summary), ElementsAre("late sender 0.01 of rank 0"));
}

TEST(Problems, AnUnevenRankWithoutWaitsIsImbalance) {
  Summary summary = even_ranks(4);
  summary.ranks[2].mpi_s = 2;  // outside: 4, 4, 8, 4
  ASSERT_THAT(found(summary), ElementsAre("imbalance 0.30 of rank 2"));
  const ProblemSummary problem = find_problems(summary).front();
  EXPECT_EQ(problem.text, "Rank 2 works 8.00 s outside MPI, the others 4.00 s on average.");
  EXPECT_EQ(problem.remedy, "Share its work evenly: that would save up to 3.00 s.");
}

TEST(Problems, AnImbalanceIsWhatNoKnownWaitExplains) {
  Summary summary = even_ranks(4);
  summary.ranks[2].mpi_s = 2;
  add_wait(summary, "wait at barrier", 1, 2, 5);
  EXPECT_THAT(found(summary), ElementsAre("imbalance 0.23 of rank 2", "wait at barrier 0.12 of rank 2"))
      << "4 s of ranks 0 and 3 each, and 1 s of rank 1";
  add_wait(summary, "wait at barrier", 0, 2, 6);
  add_wait(summary, "wait at barrier", 3, 2, 6);
  add_wait(summary, "wait at barrier", 1, 2, 1);
  EXPECT_THAT(found(summary), ElementsAre("wait at barrier 0.45 of rank 2"));
}

TEST(Problems, RanksThatReachedTheEndLoseNothingByAnUnevenRank) {
  Summary summary = even_ranks(4);
  summary.ranks[2].mpi_s = 2;
  for (const std::size_t rank : {1U, 3U}) summary.ranks[rank].ends_s = 5.5;
  summary.ranks[0].ends_s = 2;
  add_wait(summary, "early reduce", 0, 2, 2.4, "MPI_Gather");
  EXPECT_THAT(found(summary), ElementsAre("imbalance 0.10 of rank 2", "early reduce 0.09 of rank 2"))
      << "1.6 of 4 s of rank 0, half a second each of the other two";
}

TEST(Problems, WaitsForPartitionsAreSaidToBeUnknown) {
  Summary summary = even_ranks(2);
  summary.ranks[0].mpi_s = 2;  // outside: 8, 4
  summary.functions = {{"MPI_Wait", "request", 40, 7, 0.2}, {"MPI_Psend_init", "p2p", 80, 0.01, 0.1}};
  summary.sites = {{"MPI_Wait", "work", "", "/src/a.c", 21, 0, "/app", 0x10, 40, 2, 7}};
  EXPECT_THAT(found(summary), ElementsAre("imbalance 0.20 of rank 0", "transfer 0.15"));
  EXPECT_THAT(find_problems(summary).front().text, HasSubstr("Others seem to wait in MPI_Wait (work, a.c:21)"));
}

TEST(Problems, WaitsForNonBlockingTransfersOfAllRanksOfAFileAreSaidToBeUnknown) {
  Summary summary = even_ranks(2);
  const auto text_with = [&](const char* function) {
    summary.functions = {{"MPI_Wait", "request", 40, 7, 0.2}, {function, "io", 80, 0.01, 0.1}};
    return find_problems(summary).at(0).text;
  };
  EXPECT_THAT(text_with("MPI_File_iread_at_all"),
              HasSubstr("MPI_Wait takes 7.00 s, in which waits for other ranks are not known"));
  EXPECT_THAT(text_with("MPI_File_iread_at"), HasSubstr("MPI_Wait takes 7.00 s besides waits for other ranks"));
}

TEST(Problems, WaitsForRequestsOfCallsWithoutARecordAreSaidToBeUnknown) {
  Summary summary = even_ranks(2);
  summary.functions = {{"MPI_Wait", "request", 40, 7, 0.2}};
  EXPECT_THAT(find_problems(summary).at(0).text, HasSubstr("MPI_Wait takes 7.00 s besides waits for other ranks"));
  summary.findings.emplace_back().name = "call.unwrapped";
  EXPECT_THAT(find_problems(summary).at(0).text,
              HasSubstr("MPI_Wait takes 7.00 s, in which waits for other ranks are not known"));
}

TEST(Problems, CallsWhoseWaitsAreNotKnownAreSaidToBeWhereOthersWaitForAnUnevenRank) {
  Summary summary = even_ranks(4);
  summary.ranks[2].mpi_s = 2;
  summary.functions = {{"MPI_Win_fence", "rma", 80, 15, 0.5}, {"MPI_Put", "rma", 80, 6, 0.1}};
  summary.sites = {{"MPI_Win_fence", "work", "", "/src/a.c", 21, 0, "/app", 0x10, 80, 1, 15}};
  ASSERT_THAT(found(summary), ElementsAre("imbalance 0.30 of rank 2", "transfer 0.15", "transfer 0.07"))
      << "3 s remain of the fences";
  const ProblemSummary problem = find_problems(summary).front();
  EXPECT_EQ(
      problem.text,
      "Rank 2 works 8.00 s outside MPI, the others 4.00 s on average. Others seem to wait in MPI_Win_fence (work, "
      "a.c:21), in which waits are not known.");
  EXPECT_EQ(problem.function, "MPI_Win_fence");
  EXPECT_EQ(problem.place, "work, a.c:21");
  EXPECT_THAT(find_problems(summary).at(1).text, HasSubstr("MPI_Put takes 6.00 s besides waits for other ranks"));
}

TEST(Problems, WaitsForRanksThatAreNotRecordedAreNoTransferForSure) {
  Summary summary = even_ranks(2);
  summary.run.calls = 80;
  summary.run.ranks_present = 2;
  summary.run.ranks_expected = 16;
  summary.functions = {{"MPI_Recv", "p2p", 80, 8, 0.1}};
  find_problems(summary).swap(summary.problems);
  ASSERT_EQ(summary.problems.size(), 1U);
  EXPECT_EQ(summary.problems[0].text,
            "MPI_Recv takes 8.00 s, waits for ranks that are not recorded included: 80 calls of 100 ms on average.");
  EXPECT_EQ(summary.problems[0].remedy,
            "Record all ranks (MERIDIAN_RANKS=all): it is then known what of that is waiting, and for whom.");
  EXPECT_THAT(verdict_section(summary, Paint{false}), HasSubstr(", 2 of 16 ranks on "));
  EXPECT_THAT(verdict_section(summary, Paint{false}),
              HasSubstr("  2 of 16 ranks are recorded: waits for the others are not known.\n"));
  EfficiencySummary& run = summary.efficiencies.emplace_back();
  run.scope = "run";
  EXPECT_EQ(efficiency_section(summary, Paint{false}),
            "EFFICIENCY\n  None: waits for ranks that are not recorded are not known.\n");
  summary.functions = {{"MPI_File_read", "io", 80, 8, 0.1}};
  EXPECT_THAT(find_problems(summary).at(0).text, HasSubstr("takes 8.00 s besides waits for other ranks"));
}

TEST(Problems, CallsOfWindowsWithKnownWaitsTakeTheRestForTheTransfer) {
  Summary summary = even_ranks(2);
  summary.functions = {{"MPI_Win_fence", "rma", 80, 8, 0.1}};
  add_wait(summary, "wait at fence", 0, 1, 5, "MPI_Win_fence");
  ASSERT_THAT(found(summary), ElementsAre("wait at fence 0.25 of rank 1", "transfer 0.15"));
  EXPECT_THAT(find_problems(summary).at(1).text,
              HasSubstr("MPI_Win_fence takes 3.00 s besides waits for other ranks: 80 calls of 37.5 ms on average"));
}

TEST(Problems, CallsOfMatchedWindowLocksWithoutWaitsAreNotSaidToHaveUnknownOnes) {
  Summary summary = even_ranks(2);
  summary.functions = {{"MPI_Win_unlock", "rma", 80, 8, 0.1}};
  summary.window_locks.emplace_back();
  EXPECT_THAT(find_problems(summary).at(0).text,
              HasSubstr("MPI_Win_unlock takes 8.00 s besides waits for other ranks"));
}

TEST(Problems, NoCallIsSaidToBeFreeOfWaitsThatAreNotKnown) {
  Summary summary = even_ranks(2);
  for (const char* const name : {"MPI_Win_fence", "MPI_Neighbor_alltoall", "MPI_File_write_all", "MPI_File_open"}) {
    const char* const group = std::string_view{name}.starts_with("MPI_Win") ? "rma"
                              : *(name + 4) == 'F'                          ? "io"
                                                                            : "coll";
    summary.functions = {{name, group, 10, 4, 0.4}};
    EXPECT_EQ(
        find_problems(summary).at(0).text,
        name +
            std::string{" takes 4.00 s, in which waits for other ranks are not known: 10 calls of 400 ms on average."});
  }
  EXPECT_THAT(find_problems(summary).at(0).remedy, HasSubstr("keep files open"));
}

TEST(Problems, ALockIsChargedWithTheWaitsOfOtherRanksForItsRank) {
  Summary summary = even_ranks(2);
  summary.ranks[0].all_threads = 4;
  summary.ranks[0].waits_s = 3;
  summary.locks = {{0, "mutex", 0xabc, 1, 100, 90, 8.0, 0.5, 3, 2, 80, 1, 40}};
  summary.sites = {{"pthread_mutex_lock", "work", "", "/src/a.c", 21, 0, "/app", 0x10, 100, 1, 8.0}};
  add_wait(summary, "wait at barrier", 1, 0, 3);
  ASSERT_THAT(found(summary), ElementsAre("lock 0.25 of rank 0")) << "8 s of 4 threads, and 3 s of rank 1";
  EXPECT_EQ(
      find_problems(summary).front().text,
      "Threads of rank 0 wait 8.00 s for the mutex 0xabc in pthread_mutex_lock (work, a.c:21): 90 waits, longest 500 "
      "ms. Mostly thread 2 holds it. Therefore other ranks wait 3.00 s for rank 0.");
}

TEST(Problems, SmallMessagesCostWhatTheirCallsDoNotWait) {
  Summary summary = even_ranks(2);
  summary.messages.matched = 20'000;
  summary.messages.bytes = 160'000;
  summary.functions = {{"MPI_Send", "p2p", 20'000, 3}, {"MPI_Recv", "p2p", 20'000, 5}, {"MPI_Init", "env", 2, 9}};
  add_wait(summary, "late sender", 1, 0, 4, "MPI_Recv");
  EXPECT_THAT(found(summary), ElementsAre("late sender 0.20 of rank 0", "small messages 0.20"));
  EXPECT_EQ(find_problems(summary).back().text,
            "20000 messages carry 8 B on average and take 4.00 s besides waits, most in MPI_Send.");
}

TEST(Problems, CallsThatTakeLongWithoutWaitingAreTransferOrInputAndOutput) {
  Summary summary = even_ranks(2);
  summary.functions = {{"MPI_Alltoall", "coll", 10, 4, 0.4}, {"MPI_File_write", "io", 10, 2, 0.2}};
  add_wait(summary, "wait at N x N", 1, 0, 2, "MPI_Alltoall");
  EXPECT_THAT(found(summary),
              testing::UnorderedElementsAre("wait at N x N 0.10 of rank 0", "transfer 0.10", "input and output 0.10"));
}

TEST(Problems, MoreRanksThanProcessorsLackProcessors) {
  Summary summary = even_ranks(4);
  for (std::int32_t rank = 0; rank < 4; ++rank) summary.context.push_back({rank, "node", "cpu", "0-1,8", ""});
  EXPECT_THAT(found(summary), ElementsAre("lack of processors 0.25"));
  for (ContextSummary& rank : summary.context) rank.cpus = "0-3";
  EXPECT_THAT(found(summary), IsEmpty());
}

TEST(Problems, ThreadsWithoutAProcessorShowInTheirSwitchesWhereTheKernelCountsNothingElse) {
  Summary summary = even_ranks(2);
  for (std::int32_t rank = 0; rank < 2; ++rank) {
    UsageSummary& usage = summary.usage.emplace_back();
    usage.rank = rank;
    usage.involuntary_switches = 499;
  }
  EXPECT_THAT(found(summary), IsEmpty());
  for (UsageSummary& usage : summary.usage) usage.involuntary_switches = 1000;
  EXPECT_THAT(found(summary), ElementsAre("lack of processors 0.30")) << "2000 switches of 3 ms, of 20 s";
  for (UsageSummary& usage : summary.usage) usage.ready_s = 4;
  EXPECT_THAT(found(summary), ElementsAre("lack of processors 0.40")) << "what the system counted";
}

TEST(Verdict, NamesTheThreeMostExpensiveProblemsWithin25Lines) {
  Summary summary = even_ranks(4);
  for (std::int32_t i = 0; i < 5; ++i) {
    ProblemSummary& problem = summary.problems.emplace_back();
    problem.problem = "problem " + std::to_string(i);
    problem.share = 0.5 - 0.1 * i;
    problem.text = "Its text.";
    problem.remedy = "Its remedy.";
  }
  EXPECT_EQ(verdict_section(summary, Paint{false}, VerdictLength::brief),
            "VERDICT\n"
            "  The program, 4 ranks on 1 host, 10.0 s, ended by MPI_Finalize.\n"
            "  60.0 % of the ranks' time is in MPI; load balance 100.0 %.\n"
            "  1. 50.0 % of the ranks' time: problem 0. Its text. Its remedy.\n"
            "  2. 40.0 % of the ranks' time: problem 1. Its text. Its remedy.\n"
            "  3. 30.0 % of the ranks' time: problem 2. Its text. Its remedy.\n"
            "  2 more cost at least a hundredth each: `meridian stats --section verdict`.\n");
  EXPECT_THAT(verdict_section(summary, Paint{false}), HasSubstr("  5. 10.0 % of the ranks' time: problem 4."));
}

TEST(Verdict, SaysWhichPartOfTheRunItIsAbout) {
  Summary summary = even_ranks(2);
  summary.run.calls = 970;
  summary.passed = {{0, "MPI_Send", "p2p", 20}, {1, "MPI_Recv", "p2p", 10}, {1, "pthread_mutex_lock", "lock", 5000}};
  summary.problems.emplace_back().problem = "transfer";
  const std::string filtered = verdict_section(summary, Paint{false});
  EXPECT_THAT(filtered, HasSubstr("  Of 1000 calls of MPI 30 were not recorded (levels, filters, or times without\n"
                                  "  recording): all figures are of the recorded part. The time of the others\n"
                                  "  counts as time outside MPI.\n"));
  EXPECT_THAT(filtered, HasSubstr("of the ranks' time is in MPI"));
  summary.findings.push_back({"filter.full", Severity::info, 1, "Text.", "Remedy.", ""});
  summary.passed[0].count = 9020;
  const std::string cut = verdict_section(summary, Paint{false});
  EXPECT_THAT(cut, HasSubstr("  Of 10000 calls of MPI 9030 were not recorded (MERIDIAN_MAX_SIZE)"));
  EXPECT_THAT(cut, Not(HasSubstr("of the ranks' time")));
  EXPECT_THAT(cut, HasSubstr("  1. 0 s of all ranks: transfer."));
}

TEST(Verdict, SaysThatThereIsNoProblem) {
  EXPECT_THAT(verdict_section(even_ranks(2), Paint{false}),
              HasSubstr("  No known problem costs a hundredth of the ranks' time.\n"));
}

TEST(Verdict, BeginsWithTheRankThatEndedTheRun) {
  Summary summary = even_ranks(2);
  end(summary.ranks[1], "signal 11 (SIGSEGV)", 8, "MPI_Recv (a.c:88)");
  const std::string text = verdict_section(summary, Paint{false});
  EXPECT_THAT(text,
              HasSubstr("10.0 s. Rank 1 was killed by signal 11\n  (SIGSEGV) in MPI_Recv (a.c:88) after 8.00 s."));
  EXPECT_THAT(text, Not(HasSubstr("MPI_Finalize.\n")));
}

TEST(Verdict, OfARunWithoutCallsSaysHowToRecord) {
  EXPECT_THAT(verdict_section(samples::empty_run(), Paint{false}), HasSubstr("No MPI call was recorded."));
}

TEST(Verdict, OfAPartWithoutCallsSaysThatTheyWereLeftOut) {
  Summary summary = samples::empty_run();
  summary.findings.push_back({"edit.left_out", Severity::info, 9, "Text.", "Remedy.", ""});
  const std::string text = verdict_section(summary, Paint{false});
  EXPECT_THAT(text, HasSubstr("No MPI call is left: this part of the run has none."));
  EXPECT_THAT(text, Not(HasSubstr("doctor")));
}

TEST(Verdict, OfARunWhoseCallsWereAllFilteredOutSaysSo) {
  Summary summary = samples::empty_run();
  PassedSummary& passed = summary.passed.emplace_back();
  passed.name = "MPI_Send";
  passed.count = 18;
  const std::string text = verdict_section(summary, Paint{false});
  EXPECT_THAT(text, HasSubstr("No MPI call was recorded: 18 were left out (levels, filters, or times"));
  EXPECT_THAT(text, Not(HasSubstr("doctor")));
}

TEST(Verdict, HasAdviceWithin25Lines) {
  Summary summary = even_ranks(4);
  summary.reversed_before = 17;
  EXPECT_THAT(verdict_section(summary, Paint{false}, VerdictLength::brief), HasSubstr("17 messages or collectives"));
  for (int i = 0; i < 3; ++i) summary.problems.emplace_back().text = std::string(500, 'x');
  const std::string text = verdict_section(summary, Paint{false}, VerdictLength::brief);
  EXPECT_THAT(text, Not(HasSubstr("17 messages")));
  EXPECT_THAT(verdict_section(summary, Paint{false}), HasSubstr("17 messages or collectives"));
}

TEST(Verdict, WarnsOfAnErrorInTheTraceBeforeTheProblems) {
  Summary summary = even_ranks(4);
  summary.problems.emplace_back().problem = "late sender";
  summary.findings.push_back({"message.lost", Severity::error, 1, "Text.", "Remedy.", ""});
  const std::string text = verdict_section(summary, Paint{false}, VerdictLength::brief);
  EXPECT_LT(text.find("Look at the error among the findings"), text.find("late sender"));
}

}  // namespace
}  // namespace meridian
