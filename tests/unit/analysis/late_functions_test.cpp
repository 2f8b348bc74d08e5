// SPDX-License-Identifier: Apache-2.0
// The functions in which the rank that others wait for is longer, where it is another rank each time.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "sampled_iterations.hpp"

namespace meridian::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// In each iteration one rank, in turn, has three further samples.
Summary wandering(std::size_t ranks) {
  return played([=](std::size_t iteration,
                    std::size_t rank) { return IterationWork{.checkpoint = iteration % ranks == rank ? 300U : 0U}; },
                true, ranks);
}

std::string text_of_barrier(const Summary& summary) {
  for (const ProblemSummary& problem : summary.problems)
    if (problem.problem == "wait at barrier") return problem.text;
  return "";
}

std::vector<std::string> places_of(const Summary& summary) {
  std::vector<std::string> found;
  for (const LateFunctionSummary& row : summary.late_functions)
    found.push_back(row.pattern + " in " + row.call + ": " + row.place);
  return found;
}

TEST(LateFunctions, AreThoseOfTheLastRankEvenIfItIsAnotherOneEachTime) {
  const Summary summary = wandering(2);
  ASSERT_THAT(places_of(summary), ElementsAre("wait at barrier in MPI_Barrier: checkpoint"));
  EXPECT_NEAR(summary.late_functions[0].excess_s, 60 * 300e-9, 1e-12);
  EXPECT_NEAR(summary.late_functions[0].error_s, std::sqrt(60 * 3) * 100e-9, 1e-12);
  EXPECT_THAT(text_of_barrier(summary),
              HasSubstr(" Each time, more in the rank that is waited for: +18.0 us in (no symbols) (checkpoint)"));
  ASSERT_EQ(summary.problem_functions.size(), 1U);
  EXPECT_EQ(summary.problem_functions[0].rank, -1);
}

TEST(LateFunctions, SamplesOfOneRankErrTogetherForAllThatWaitForIt) {
  const Summary summary = wandering(4);
  ASSERT_THAT(places_of(summary), ElementsAre("wait at barrier in MPI_Barrier: checkpoint"));
  EXPECT_NEAR(summary.late_functions[0].excess_s, 3 * 60 * 300e-9, 1e-12);
  EXPECT_NEAR(summary.late_functions[0].error_s, std::sqrt(60 * 3 * 3 * 3) * 100e-9, 1e-12);
}

TEST(LateFunctions, WorkThatOthersHaveAtOtherTimesIsNotTakenOff) {
  const Summary summary = played([](std::size_t iteration, std::size_t rank) {
    return IterationWork{.assemble = rank == 0 ? 900U : 600U, .checkpoint = iteration % 2 == rank ? 0U : 600U};
  });
  // Rank 0 has 900 + 600 and rank 1 has 600 in odd iterations; in even ones 900 and 600 + 600.
  ASSERT_THAT(places_of(summary), ElementsAre("wait at barrier in MPI_Barrier: checkpoint"));
  EXPECT_NEAR(summary.late_functions[0].excess_s, 60 * 600e-9, 1e-12);
}

TEST(LateFunctions, ARankThatIsAlwaysLateIsNamedWithItsFunctionOnce) {
  const Summary summary =
      played([](std::size_t, std::size_t rank) { return IterationWork{.checkpoint = rank == 1 ? 300U : 0U}; });
  EXPECT_THAT(text_of_barrier(summary),
              HasSubstr(" More than in the other ranks: +18.0 us in (no symbols) (checkpoint)"));
  EXPECT_THAT(text_of_barrier(summary), Not(HasSubstr("Each time")));
}

TEST(LateFunctions, AreUnknownWithoutSamples) {
  const Summary summary =
      played([](std::size_t iteration,
                std::size_t rank) { return IterationWork{.checkpoint = iteration % 2 == rank ? 300U : 0U}; },
             false);
  EXPECT_THAT(summary.late_functions, IsEmpty());
  EXPECT_THAT(text_of_barrier(summary), Not(HasSubstr("Each time")));
}

}  // namespace
}  // namespace meridian::test
