// SPDX-License-Identifier: Apache-2.0
// Section ITERATIONS of the text, and the problems of iterations in the verdict.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/summary/text/text.hpp"
#include "summary/problems/problems.hpp"

namespace meridian {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Four ranks of 10 s each and a loop.
Summary with_a_loop() {
  Summary summary;
  for (std::int32_t i = 0; i < 4; ++i) {
    RankSummary& rank = summary.ranks.emplace_back();
    rank.rank = i;
    rank.threads = rank.all_threads = 1;
    rank.time_s = rank.thread_s = 10;
    rank.mpi_s = 6;
  }
  summary.phases = {{"MPI_Allreduce", "a.c:7", 49, 0.5, 9.5, 3, 0.18, 0.02, 0.1, 0.4, 0.08, "iteration"}};
  return summary;
}

std::vector<std::string> kinds(const Summary& summary) {
  std::vector<std::string> all;
  for (const ProblemSummary& problem : find_problems(summary)) all.push_back(problem.problem);
  return all;
}

TEST(IterationsText, HasThePhasesAndWhatIsUnusualInThem) {
  Summary summary = with_a_loop();
  summary.iteration_findings = {{0, "step", 20, 1, 0.08, 0.12, 3, "From iteration 20 on rank 1 computes longer."}};
  EXPECT_EQ(iterations_section(summary, Paint{false}),
            "ITERATIONS\n"
            "  begin with    at     count   from     to   mean      sd    min    max\n"
            "  MPI_Allreduce a.c:7     49 500 ms 9.50 s 180 ms 20.0 ms 100 ms 400 ms\n"
            "  From iteration 20 on rank 1 computes longer.\n");
  EXPECT_EQ(iterations_section({}, Paint{false}), "");
}

TEST(IterationProblems, AreDriftsAndSlowIterationsOfARank) {
  Summary summary = with_a_loop();
  summary.iteration_findings = {{0, "step", 20, 1, 0.08, 0.12, 3, "A step."},
                                {0, "slow iteration", 5, 2, 0.08, 0.5, 1.5, "The worst."},
                                {0, "slow iteration", 9, 2, 0.08, 0.3, 0.5, "Another one."},
                                {0, "slow iteration", 9, 3, 0.08, 0.3, 0.3, "Less than a hundredth."},
                                {0, "slow in MPI", 30, -1, 0.18, 1, 4, "No problem of its own."}};
  EXPECT_THAT(kinds(summary), ElementsAre("drift", "slow iterations"));
  const auto problems = find_problems(summary);
  EXPECT_DOUBLE_EQ(problems[0].cost_s, 3);
  EXPECT_EQ(problems[0].causer, 1);
  EXPECT_EQ(problems[0].place, "a.c:7");
  EXPECT_EQ(problems[0].text, "A step.");
  EXPECT_DOUBLE_EQ(problems[1].cost_s, 2);
  EXPECT_EQ(problems[1].causer, 2);
  EXPECT_EQ(problems[1].text, "The worst. 2 of 49 iterations are slow.");
}

TEST(IterationProblems, ExplainTheWaitsThatTheyCause) {
  Summary summary = with_a_loop();
  summary.iteration_findings = {{0, "step", 20, 1, 0.08, 0.12, 3, "A step."}};
  WaitSummary& wait = summary.waits.emplace_back();
  wait.pattern = "wait at N x N";
  wait.function = "MPI_Allreduce";
  wait.causer = 1;
  wait.count = 1;
  wait.total_s = 2.9;
  ASSERT_THAT(kinds(summary), ElementsAre("wait at N x N"));
  EXPECT_THAT(find_problems(summary)[0].text, HasSubstr(" A step."));
  summary.waits[0].total_s = 1.4;  // less than half
  EXPECT_THAT(kinds(summary), ElementsAre("drift")) << "which has the waits for its rank";
  summary.waits[0].total_s = 7;  // more than twice as much: something else
  ASSERT_THAT(kinds(summary), ElementsAre("wait at N x N"));
  EXPECT_THAT(find_problems(summary)[0].text, testing::Not(HasSubstr("A step.")));
  summary.waits[0].causer = 0;
  EXPECT_THAT(kinds(summary), ElementsAre("wait at N x N", "drift"));
}

}  // namespace
}  // namespace meridian
