// SPDX-License-Identifier: Apache-2.0
// Time in which ranks are ready to run and have no processor.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "summary/problems/problems.hpp"
#include "tests/unit/summary/problem_samples.hpp"

namespace meridian {
namespace {

using samples::are_ready;
using samples::even_ranks;
using samples::first;
using samples::found;

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

void are_bound(Summary& summary, const std::vector<const char*>& processors) {
  for (std::size_t i = 0; i < processors.size(); ++i)
    summary.context.push_back({static_cast<std::int32_t>(i), "node", "cpu", processors[i], ""});
}

TEST(LackOfProcessors, TheTimeWithoutAProcessorIsTakenFromAllOtherProblems) {
  Summary summary = even_ranks(2);
  are_ready(summary, 2);
  summary.functions = {{"MPI_Send", "p2p", 10, 10, 1}};
  EXPECT_THAT(found(summary), ElementsAre("transfer 0.40", "lack of processors 0.20")) << "in order of cost";
  const ProblemSummary transfer = first(summary);
  EXPECT_DOUBLE_EQ(transfer.cost_s, 8);
  EXPECT_DOUBLE_EQ(transfer.shared_s, 2);
  EXPECT_THAT(transfer.text, HasSubstr("takes 10.0 s besides waits for other ranks: 10 calls of 1.00 s on average. "
                                       "2.00 s of that is part of the lack of processors."));
  EXPECT_THAT(find_problems(summary)[1].text, HasSubstr("the figures of all other problems are in doubt"));
}

TEST(LackOfProcessors, ALittleTimeWithoutAProcessorIsNoProblem) {
  Summary summary = even_ranks(2);
  are_ready(summary, 0.29);
  EXPECT_THAT(found(summary), IsEmpty());
  summary.usage[0].ready_s = 0.32;
  EXPECT_THAT(found(summary), ElementsAre("lack of processors 0.03"));
}

TEST(LackOfProcessors, OfThreadsThatAreReadyAtTheSameTimeTheLongestCounts) {
  Summary summary = even_ranks(1);
  summary.ranks[0].all_threads = 2;
  summary.usage = {{0, -1, 0, 0, 0, 0, 0, 0, 0, 8}, {0, 0, 0, 0, 0, 0, 0, 0, 0, 5}, {0, 1, 0, 0, 0, 0, 0, 0, 0, 5}};
  EXPECT_THAT(found(summary), ElementsAre("lack of processors 0.40")) << "half of the 8 s that were recorded";
  are_bound(summary, {"0"});
  EXPECT_THAT(first(summary).text, HasSubstr("2 threads of 1 rank share 1 processor of node."));
}

TEST(LackOfProcessors, IntervalsThatMissMostOfWhatTheKernelCountsAreNotTaken) {
  Summary summary = even_ranks(1);
  are_ready(summary, 4);
  summary.ready_times = {{0, 0, 1.9, 0, 0}};
  EXPECT_THAT(found(summary), ElementsAre("lack of processors 0.40"));
  summary.ready_times[0].wait_s = 0.1;
  EXPECT_THAT(found(summary), ElementsAre("lack of processors 0.19"));
}

TEST(LackOfProcessors, ThreadsThatLiveInTurnShareProcessorsWithNoOther) {
  Summary summary = even_ranks(2);
  are_ready(summary, 3);
  are_bound(summary, {"0-1", "0-1"});
  for (RankSummary& rank : summary.ranks) {
    rank.all_threads = 4;
    for (std::uint32_t thread = 0; thread < 4; ++thread) {
      ThreadSummary& row = summary.threads.emplace_back();
      row.rank = rank.rank;
      row.thread = thread;
      row.begin_s = thread == 0 ? 0 : 2 * thread;  // one after the other, beside the first one
      row.life_s = thread == 0 ? 10 : 2;
    }
  }
  EXPECT_THAT(first(summary).text, HasSubstr("4 threads of 2 ranks share 2 processors"));
  for (RankSummary& rank : summary.ranks) rank.all_threads = 1;  // the other rows are calls from callbacks
  EXPECT_THAT(first(summary).text, HasSubstr("has no more threads than processors"));
  summary.run.ranks_present = 2;
  summary.run.ranks_expected = 4;
  EXPECT_THAT(first(summary).text, HasSubstr("Other programs had them, or ranks that are not recorded."));
}

TEST(LackOfProcessors, OtherProgramsAreNamedWhereTheProgramHasNoMoreThreadsThanProcessors) {
  Summary summary = even_ranks(2);
  are_ready(summary, 3);
  are_bound(summary, {"0-1", "0-1"});
  EXPECT_THAT(first(summary).text, HasSubstr("The program has no more threads than processors, so other programs"));
  EXPECT_THAT(first(summary).remedy, Not(HasSubstr("fewer")));
}

TEST(LackOfProcessors, ABindingIsNamedThatLeavesProcessorsIdle) {
  Summary summary = even_ranks(3);
  are_ready(summary, 3);
  are_bound(summary, {"0", "1", "1"});
  EXPECT_THAT(first(summary).text, HasSubstr("2 ranks are bound to 1 processor of node (1)."));
  EXPECT_THAT(first(summary).remedy, HasSubstr("Bind them to different processors"));
  summary.context.clear();
  are_bound(summary, {"1", "1", "1"});
  EXPECT_THAT(first(summary).text, HasSubstr("3 ranks are bound to 1 processor of node (1)."));
  EXPECT_THAT(first(summary).remedy, HasSubstr("Bind them to different processors"));
  summary.context.clear();
  are_bound(summary, {"0", "0", "0"});
  EXPECT_THAT(first(summary).text, HasSubstr("3 ranks share 1 processor of node."));
  EXPECT_EQ(first(summary).remedy,
            "Start at most 1 rank there, or use more computers. If that computer has more processors, let the ranks "
            "use them (no "
            "taskset, mpirun --bind-to none).");
}

}  // namespace
}  // namespace meridian
