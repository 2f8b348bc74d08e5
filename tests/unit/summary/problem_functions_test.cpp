// SPDX-License-Identifier: Apache-2.0
// From a problem to the function of the rank that causes it.

#include "summary/problems/problem_functions.hpp"

#include <gmock/gmock.h>

#include <cmath>

namespace meridian {
namespace {

using testing::EndsWith;
using testing::IsEmpty;

void add(Summary& summary, std::int32_t rank, const std::string& function, double self_s, double error_s = 0.01) {
  RankFunctionSummary& row = summary.rank_functions.emplace_back();
  row.rank = rank;
  row.function = function;
  row.place = "app.c:4";
  row.module = "app";
  row.self_s = 2 * self_s;  // half of it without a processor
  row.processor_s = self_s;
  row.error_s = 2 * error_s;
  row.callers = "main (app.c:8)";
}

/// Three ranks of which rank 1 is 0.5 s longer in assemble; it costs the others a second.
Summary uneven(double excess_s = 0.5) {
  Summary summary;
  for (const std::int32_t rank : {0, 1, 2}) {
    add(summary, rank, "assemble", rank == 1 ? 0.4 + excess_s : 0.4);
    add(summary, rank, "solve", 0.3);
  }
  ProblemSummary& problem = summary.problems.emplace_back();
  problem.problem = "imbalance";
  problem.cost_s = 1;
  problem.causer = 1;
  problem.text = "Rank 1 is slow.";
  return summary;
}

TEST(ProblemFunctions, NamesTheFunctionInWhichTheCauserIsLonger) {
  Summary summary = uneven();
  name_functions(summary);
  EXPECT_EQ(summary.problems[0].text,
            "Rank 1 is slow. More than in the other ranks: +500 ms in assemble (app.c:4) <- main (app.c:8).");
  ASSERT_EQ(summary.problem_functions.size(), 1U);
  EXPECT_EQ(summary.problem_functions[0].function, "assemble");
  EXPECT_EQ(summary.problem_functions[0].rank, 1);
  EXPECT_NEAR(summary.problem_functions[0].excess_s, 0.5, 1e-12);
  EXPECT_NEAR(summary.problem_functions[0].error_s, 0.01 * std::sqrt(1.5), 1e-12);
}

TEST(ProblemFunctions, AnExcessExplainsNoMoreThanItMakesOthersWait) {
  Summary summary = uneven();
  summary.problems[0].cost_s = 0.7;
  for (const double cost_s : {0.6, 0.5}) {  // two ranks wait for 1 s in all
    summary.problems.push_back(summary.problems.front());
    summary.problems.back().cost_s = cost_s;
  }
  summary.problems.push_back(summary.problems.front());
  summary.problems.back().causer = 2;
  name_functions(summary);
  EXPECT_THAT(summary.problems[0].text, EndsWith("+500 ms in assemble (app.c:4) <- main (app.c:8)."));
  EXPECT_THAT(summary.problems[1].text, EndsWith("+500 ms in assemble (app.c:4) <- main (app.c:8)."));
  EXPECT_EQ(summary.problems[2].text, "Rank 1 is slow.");
  EXPECT_EQ(summary.problems[3].text, "Rank 1 is slow.");
  ASSERT_EQ(summary.problem_functions.size(), 2U);
  EXPECT_EQ(summary.problem_functions[1].problem, 1U);
}

TEST(ProblemFunctions, AnExcessThatIsUsedUpLeavesAnotherOneToBeNamed) {
  Summary summary = uneven();
  add(summary, 1, "write_mesh", 0.2);
  summary.problems[0].cost_s = 1.1;
  summary.problems.push_back(summary.problems.front());
  summary.problems.back().cost_s = 0.3;
  name_functions(summary);
  EXPECT_THAT(
      summary.problems[0].text,
      EndsWith("+500 ms in assemble (app.c:4) <- main (app.c:8), +200 ms in write_mesh (app.c:4) <- main (app.c:8)."));
  EXPECT_EQ(summary.problems[1].text,
            "Rank 1 is slow. More than in the other ranks: +200 ms in write_mesh (app.c:4) <- main (app.c:8).");
}

TEST(ProblemFunctions, FunctionsOfSeveralFilesMayHaveOneName) {
  Summary summary = uneven();
  for (const std::int32_t rank : {0, 1, 2}) {  // here rank 1 is shorter
    add(summary, rank, "assemble", rank == 1 ? 0.1 : 0.4);
    summary.rank_functions.back().place = "solid.c:9";
  }
  name_functions(summary);
  EXPECT_THAT(summary.problems[0].text,
              EndsWith("More than in the other ranks: +500 ms in assemble (app.c:4) <- main (app.c:8)."));
}

TEST(ProblemFunctions, NamesNoneIfTheExcessIsBelowTwoStandardErrors) {
  Summary summary = uneven();
  for (RankFunctionSummary& row : summary.rank_functions) row.error_s = 0.5;
  name_functions(summary);
  EXPECT_EQ(summary.problems[0].text, "Rank 1 is slow.");
  EXPECT_THAT(summary.problem_functions, IsEmpty());
}

TEST(ProblemFunctions, NamesNoneIfTheExcessExplainsLittleOfTheCost) {
  Summary summary = uneven(0.05);
  name_functions(summary);
  EXPECT_EQ(summary.problems[0].text, "Rank 1 is slow.");
}

TEST(ProblemFunctions, NamesNoneForAProblemOfNoRankInParticular) {
  Summary summary = uneven();
  summary.problems[0].causer = -1;
  name_functions(summary);
  EXPECT_EQ(summary.problems[0].text, "Rank 1 is slow.");
}

TEST(ProblemFunctions, OfSeveralCausersTheMeanIsComparedWithThatOfTheOthers) {
  Summary summary = uneven();
  add(summary, 3, "assemble", 0.7);
  add(summary, 3, "solve", 0.3);
  summary.problems[0].causer = -1;
  summary.problems[0].causers = "1,3";
  name_functions(summary);
  EXPECT_EQ(
      summary.problems[0].text,
      "Rank 1 is slow. More than in the other ranks, on average: +400 ms in assemble (app.c:4) <- main (app.c:8).");
}

TEST(ProblemFunctions, ProcessorTimeIsAtMostTheTimeInWhichTheRankHadAProcessor) {
  Summary summary = uneven();
  for (RankFunctionSummary& row : summary.rank_functions)
    if (row.rank != 1) row.processor_s = row.self_s;  // samples of calls of MPI that gave up the processor
  for (const std::int32_t rank : {0, 1, 2}) summary.ready_times.push_back({rank, 0, rank == 1 ? 1.2 : 0.7, 0, 0});
  name_functions(summary);
  EXPECT_THAT(summary.problems[0].text,
              EndsWith("More than in the other ranks: +500 ms in assemble (app.c:4) <- main (app.c:8)."));
}

TEST(ProblemFunctions, WhatARankComputesIsNoReasonForItsEndOrForWaitsOfItsThreads) {
  for (const char* const kind : {"unfinished calls", "deadlock", "OpenMP imbalance", "lock"}) {
    Summary summary = uneven();
    summary.problems[0].problem = kind;
    name_functions(summary);
    EXPECT_EQ(summary.problems[0].text, "Rank 1 is slow.");
  }
}

TEST(ProblemFunctions, OfNoiseAreNone) {
  Summary summary = uneven();
  summary.problems[0].problem = "slow iterations";
  name_functions(summary);
  EXPECT_EQ(summary.problems[0].text, "Rank 1 is slow.");
}

TEST(ProblemFunctions, NamesASecondFunctionIfItIsOfThatSize) {
  Summary summary = uneven();
  add(summary, 1, "check", 0.2);
  name_functions(summary);
  EXPECT_THAT(
      summary.problems[0].text,
      EndsWith("+500 ms in assemble (app.c:4) <- main (app.c:8), +200 ms in check (app.c:4) <- main (app.c:8)."));
}

TEST(ProblemFunctions, OfOneRankAloneAreNone) {
  Summary summary = uneven();
  std::erase_if(summary.rank_functions, [](const RankFunctionSummary& row) { return row.rank != 1; });
  name_functions(summary);
  EXPECT_THAT(summary.problem_functions, IsEmpty());
}

/// Ranks of which rank 1 alone has samples.
Summary alone(double outside_s) {
  Summary summary = uneven();
  std::erase_if(summary.rank_functions, [](const RankFunctionSummary& row) { return row.rank != 1; });
  for (const std::int32_t rank : {0, 1, 2}) {
    RankSummary& row = summary.ranks.emplace_back();
    row.rank = rank;
    row.time_s = 2;
    row.mpi_s = rank == 1 ? 1 : 2 - outside_s;
  }
  return summary;
}

TEST(ProblemFunctions, NamesTheFunctionOfTheOnlyRankThatComputes) {
  Summary summary = alone(0.125);
  name_functions(summary);
  EXPECT_EQ(summary.problems[0].text,
            "Rank 1 is slow. More than in the other ranks: +775 ms in assemble (app.c:4) <- main (app.c:8).");
}

TEST(ProblemFunctions, OfARankThatAloneWasSampledAreNone) {
  Summary summary = alone(1);
  name_functions(summary);
  EXPECT_THAT(summary.problem_functions, IsEmpty());
}

TEST(ProblemFunctions, OfATraceWithoutSamplesAreNone) {
  Summary summary = uneven();
  summary.rank_functions.clear();
  name_functions(summary);
  EXPECT_EQ(summary.problems[0].text, "Rank 1 is slow.");
}

/// MPI_Allreduce takes a second in all, of which an operation of the program has this.
Summary with_operation(double processor_s, const char* kind = "transfer") {
  Summary summary;
  ProblemSummary& problem = summary.problems.emplace_back();
  problem.problem = kind;
  problem.function = "MPI_Allreduce";
  problem.cost_s = 1;
  problem.text = "MPI_Allreduce takes 1.00 s.";
  problem.remedy = "Send less.";
  const auto add_called = [&](const char* call, const char* function, double own_s) {
    CalledFunctionSummary& row = summary.called_functions.emplace_back();
    row.call = call;
    row.function = function;
    row.place = "app.c:4";
    row.processor_s = own_s;
    row.error_s = 0.01;
  };
  add_called("MPI_Reduce", "other", 5);
  add_called("MPI_Allreduce", "slow_sum", processor_s);
  add_called("MPI_Allreduce", "quick_sum", processor_s / 2);
  add_called("MPI_Allreduce", "check_sum", processor_s / 9);
  return summary;
}

TEST(ProblemFunctions, NamesFunctionsThatMpiCallsInTheCallThatTakesLong) {
  Summary summary = with_operation(0.6);
  name_functions(summary);
  EXPECT_EQ(summary.problems[0].text,
            "MPI_Allreduce takes 1.00 s. MPI calls functions of the program in MPI_Allreduce: slow_sum (app.c:4) takes "
            "600 ms and quick_sum (app.c:4) takes 300 ms of processor time.");
  EXPECT_EQ(summary.problems[0].remedy, "Make slow_sum faster, or let MPI call it less often.");
}

TEST(ProblemFunctions, ThatMpiCallsForASmallPartLeaveTheRemedy) {
  Summary summary = with_operation(0.2);
  name_functions(summary);
  EXPECT_THAT(summary.problems[0].text, EndsWith("and quick_sum (app.c:4) takes 100 ms of processor time."));
  EXPECT_EQ(summary.problems[0].remedy, "Send less.");
}

TEST(ProblemFunctions, ThatMpiCallsForAVerySmallPartAreNotNamed) {
  Summary summary = with_operation(0.1);
  name_functions(summary);
  EXPECT_EQ(summary.problems[0].text, "MPI_Allreduce takes 1.00 s.");
}

TEST(ProblemFunctions, ThatMpiCallsAreNotNamedForOtherProblems) {
  Summary summary = with_operation(0.6, "lack of processors");
  name_functions(summary);
  EXPECT_EQ(summary.problems[0].text, "MPI_Allreduce takes 1.00 s.");
}

}  // namespace
}  // namespace meridian
