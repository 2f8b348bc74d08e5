// SPDX-License-Identifier: Apache-2.0
#include "summary/advice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
  for (RankSummary& rank : summary.ranks) rank.mpi_s = 6.0 * static_cast<double>(rank.threads);
  EXPECT_THAT(advise(summary), Contains(HasSubstr("The ranks work evenly (balance 100.0 %)")));
  EXPECT_THAT(advise(summary), Each(Not(HasSubstr("slow one"))));
}

TEST(Advice, DoesNotBlameARankWhenLittleWouldBeGained) {
  Summary summary = samples::four_ranks();
  for (RankSummary& rank : summary.ranks)
    rank.mpi_s = (rank.rank == 3 ? 9.78 : 9.9) * static_cast<double>(rank.threads);
  EXPECT_THAT(advise(summary),
              Contains("The ranks' work differs (rank 3: 220 ms outside MPI, mean 130 ms), but that is only "
                       "0.9 % of the run: the rest is the communication itself, or more ranks than cores."));
}

TEST(Advice, SendsTheUserToTheComputationWhenMpiTakesLittle) {
  EXPECT_THAT(advise(samples::one_rank()), Contains(HasSubstr("MPI takes only 3.1 % of the ranks' time")));
}

TEST(Advice, DoesNotJudgeARunThatIsMostlyStartAndEnd) {
  // Of 52 s in MPI, 36.4 s are the start; of the rest, 7.8 s are MPI_Waitall.
  Summary summary = samples::four_ranks();
  for (RankSummary& rank : summary.ranks) rank.mpi_s *= 2;
  summary.functions[0].total_s = 7.8;
  summary.functions.insert(summary.functions.begin(), {"MPI_Init", "env", 4, 36.4, 9.1, 9, 9.2, 0.1, 0, 0});
  EXPECT_THAT(advise(summary),
              Contains("MPI_Init and MPI_Finalize are 70.0 % of the time in MPI: the run is too short to say "
                       "much; trace a longer one."));
  EXPECT_THAT(advise(summary), Each(Not(HasSubstr("slow one"))));
  EXPECT_THAT(advise(summary), Contains(HasSubstr("MPI_Waitall takes 50.0 % of the time in MPI after MPI_Init")));
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
  EXPECT_THAT(advise(samples::ten_thousand_ranks()), Contains(HasSubstr("The tracer itself took 4.9 % of the run")));
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
