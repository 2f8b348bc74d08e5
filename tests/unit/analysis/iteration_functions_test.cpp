// SPDX-License-Identifier: Apache-2.0
// The functions behind slow iterations and steps.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sampled_iterations.hpp"

namespace meridian::test {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::EndsWith;
using testing::IsEmpty;

std::vector<std::string> places_of_changes(const Summary& summary) {
  std::vector<std::string> found;
  for (const IterationFindingSummary& row : summary.iteration_findings)
    found.push_back(row.kind + " of rank " + std::to_string(row.rank) + " in " + row.place);
  return found;
}

std::vector<std::string> sentences_of_changes(const Summary& summary) {
  std::vector<std::string> found;
  for (const IterationFindingSummary& row : summary.iteration_findings) found.push_back(row.text);
  return found;
}

TEST(IterationFunctions, SlowIterationsOfARankNameTheFunctionThatIsOnlyInThem) {
  const Summary summary = played([](std::size_t iteration, std::size_t rank) {
    return IterationWork{.checkpoint = rank == 1 && iteration % 20 == 10 ? 500U : 0U};
  });
  EXPECT_THAT(places_of_changes(summary),
              ElementsAre("slow iteration of rank 1 in checkpoint", "slow iteration of rank 1 in checkpoint",
                          "slow iteration of rank 1 in checkpoint"));
  EXPECT_THAT(sentences_of_changes(summary),
              Each(EndsWith(" Most of the additional time is in (no symbols) (checkpoint).")));
}

TEST(IterationFunctions, SlowIterationsOfAllRanksNameIt) {
  const Summary summary = played(
      [](std::size_t iteration, std::size_t) { return IterationWork{.checkpoint = iteration % 20 == 10 ? 500U : 0U}; });
  EXPECT_THAT(places_of_changes(summary),
              ElementsAre("slow iteration of rank -1 in checkpoint", "slow iteration of rank -1 in checkpoint",
                          "slow iteration of rank -1 in checkpoint"));
}

TEST(IterationFunctions, AStepNamesTheFunctionThatGrew) {
  const Summary summary = played([](std::size_t iteration, std::size_t rank) {
    return IterationWork{.assemble = rank == 0 && iteration >= 30 ? 900U : 600U, .checkpoint = 200};
  });
  EXPECT_THAT(places_of_changes(summary), ElementsAre("step of rank 0 in assemble"));
}

TEST(IterationFunctions, WithoutSamplesOrWithTooFewNothingIsNamed) {
  const auto hiccup = [](std::size_t iteration, std::size_t rank) {
    return IterationWork{.checkpoint = rank == 1 && iteration == 30 ? 350U : 0U};  // three or four samples
  };
  EXPECT_THAT(places_of_changes(played(hiccup, false)), ElementsAre("slow iteration of rank 1 in "));
  EXPECT_THAT(places_of_changes(played([](std::size_t, std::size_t) { return IterationWork{}; })), IsEmpty());
}

}  // namespace
}  // namespace meridian::test
