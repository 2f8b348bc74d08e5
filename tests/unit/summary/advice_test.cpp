// SPDX-License-Identifier: Apache-2.0
#include "summary/advice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "summary/measures.hpp"
#include "tests/unit/summary/sample_summaries.hpp"
#include "trace/model/import_keys.hpp"

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

TEST(Advice, ForAnArchiveWithoutCallsDoesNotExplainHowToRecord) {
  Summary summary = samples::empty_run();
  summary.run.mpi_library = kImportedLibrary;
  const auto advice = advise(summary);
  ASSERT_THAT(advice, SizeIs(1));
  EXPECT_THAT(advice[0], Not(HasSubstr("meridian run")));
}

TEST(Advice, SendsTheUserToTheComputationWhenMpiTakesLittle) {
  EXPECT_THAT(advise(samples::one_rank()), Contains(HasSubstr("MPI takes only 3.1 % of the ranks' time")));
}

TEST(Advice, NamesTheFunctionsOfAProgramThatHardlyUsesMpi) {
  Summary summary = samples::one_rank();
  EXPECT_THAT(advise(summary), Contains(HasSubstr("With samples its functions are known: meridian help functions.")));
  for (const auto& [function, place, share] :
       {std::tuple{"solve", "app.c:9", 0.7}, {"assemble", "libapp.so", 0.26}, {"main", "app.c:1", 0.04}}) {
    ProgramFunctionSummary& row = summary.program_functions.emplace_back();
    row.function = function;
    row.place = place;
    row.share = share;
  }
  EXPECT_THAT(advise(summary),
              Contains(HasSubstr("The time outside MPI: 70.0 % solve (app.c:9), 26.0 % assemble (libapp.so).")));
}

TEST(Advice, NoShareIncludesStartAndEnd) {
  // 4 x 5.5 s of the 26 s in MPI and of the 50 s of the threads become start and end.
  Summary summary = samples::four_ranks();
  for (RankSummary& rank : summary.ranks) {
    rank.ends_s = 5.5;
    rank.mpi_s += 5.5;
    rank.thread_s += 5.5;
  }
  EXPECT_DOUBLE_EQ(mpi_share(summary), 26.0 / 50);
  for (RankSummary& rank : summary.ranks) {
    rank.ends_s += 94.5;
    rank.mpi_s += 94.5;
    rank.thread_s += 94.5;
  }
  const auto advice = advise(summary);
  EXPECT_THAT(advice, Contains("MPI_Init and MPI_Finalize are 88.9 % of the run; no share includes them. The rest is "
                               "short: trace a longer run."));
  EXPECT_DOUBLE_EQ(mpi_share(summary), 26.0 / 50);
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

TEST(Flaws, OfATraceWithAnErrorAreInTheFindings) {
  EXPECT_THAT(describe_flaws(samples::four_ranks()), HasSubstr("Look at the error among the findings first"));
  EXPECT_EQ(describe_flaws(samples::one_rank()), "");
}

TEST(Flaws, AreLossesIfThereIsNoError) {
  EXPECT_THAT(describe_flaws(samples::ten_thousand_ranks()), HasSubstr("lower bounds"));
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

TEST(Advice, SeesPollingByQuestionsAboutRequests) {
  Summary summary = samples::four_ranks();
  summary.functions.push_back({"MPI_Request_get_status", "request", 300'000, 1, 1e-6, 1e-7, 1e-5, 1e-6, 0, 0});
  EXPECT_THAT(advise(summary), Contains(HasSubstr("MPI_Request_get_status is 75.0 % of all calls: the program polls")));
}

TEST(Advice, TakesNoBlockingProbeAndNoQuestionAboutACancelledMessageForAPoll) {
  for (const char* const name : {"MPI_Probe", "MPI_Mprobe", "MPI_Test_cancelled", "MPI_Topo_test"}) {
    Summary summary = samples::four_ranks();
    summary.functions.push_back({name, "p2p", 300'000, 1, 1e-6, 1e-7, 1e-5, 1e-6, 0, 0});
    EXPECT_THAT(advise(summary), Each(Not(HasSubstr("polls")))) << name;
  }
}

TEST(Advice, SeesThatTheTracerDisturbs) {
  Summary summary = samples::four_ranks();
  summary.overhead.front().share = 0.03;
  EXPECT_THAT(advise(summary), Contains(HasSubstr("The tracer itself took 3.0 % of the run: record ")));
  EXPECT_THAT(advise(samples::ten_thousand_ranks()), Contains(HasSubstr("The program waited 4.9 % of the run")));
  EXPECT_THAT(advise(samples::four_ranks()), Each(Not(HasSubstr("The tracer itself"))));
}

TEST(Advice, LeavesOutTheGroupWithManyCallsThatNoOtherRecordNeeds) {
  Summary summary = samples::four_ranks();
  summary.overhead = {{"record call", 4, 0.9, 0.03}};
  summary.functions = {{"MPI_Send", "p2p", 500'000, 1}, {"MPI_Comm_c2f", "handle", 300'000, 1}};
  summary.functions.push_back({"MPI_Wtime", "env", 200'000, 1});
  EXPECT_THAT(advise(summary), Contains(HasSubstr("of the run: record less (MERIDIAN_LEVELS=all,-handle).")));
  summary.functions.pop_back();
  summary.functions.back() = {"pthread_mutex_lock", "lock", 300'000, 1};
  EXPECT_THAT(advise(summary), Contains(HasSubstr("of the run: record less (MERIDIAN_LEVELS=all,-lock).")));
}

TEST(Advice, LeavesOutNoGroupWhereNearlyAllCallsAreNeeded) {
  Summary summary = samples::four_ranks();
  summary.overhead = {{"record call", 4, 0.9, 0.03}};
  summary.functions = {{"MPI_Send", "p2p", 500'000, 1}, {"MPI_Wtime", "env", 2, 1}};
  EXPECT_THAT(advise(summary), Contains("The tracer itself took 3.0 % of the run: record a part of the run "
                                        "(MERIDIAN_WINDOW=from:to, in seconds)."));
}

TEST(Advice, SeesThatTheClocksAreTooInexactForTheWaits) {
  Summary summary = samples::four_ranks();
  summary.waits = {};
  WaitSummary& row = summary.waits.emplace_back();
  row.pattern = "late sender";
  row.count = 300;
  row.unresolved = 200;
  EXPECT_THAT(advise(summary), Contains(HasSubstr("200 of 500 waits are shorter than the bounds of the two clocks")));
  row.unresolved = 50;
  EXPECT_THAT(advise(summary), Each(Not(HasSubstr("shorter than the bounds"))));
}

TEST(Advice, DescribesTheCertaintyOfTheOrder) {
  EXPECT_THAT(advise(samples::four_ranks()), Contains(HasSubstr("differences below 420 ns mean nothing")));
}

}  // namespace
}  // namespace meridian
