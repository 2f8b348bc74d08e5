// SPDX-License-Identifier: Apache-2.0
// Outliers and drifts in times of iterations that are known.
#include "analysis/phases/iteration_changes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <random>
#include <string>

#include "tests/support/seed.hpp"

namespace meridian {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// compute(iteration, rank) in seconds; all ranks wait for the last one in each iteration.
template <class Compute>
IterationTimes times_of(std::size_t groups, std::size_t ranks, Compute&& compute, std::uint64_t length = 1) {
  IterationTimes times;
  times.ranks = ranks;
  times.lengths.assign(groups, length);
  for (std::size_t i = 0; i < groups; ++i) {
    double most = 0;
    for (std::size_t rank = 0; rank < ranks; ++rank) most = std::max(most, compute(i, rank));
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      times.compute_s.push_back(compute(i, rank));
      times.duration_s.push_back(most + 1);
    }
  }
  return times;
}

/// "step of rank 1 at 20: 10 to 13, costs 90".
std::vector<std::string> texts(const IterationTimes& times) {
  std::vector<std::string> all;
  for (const IterationChange& change : find_changes(times)) {
    char text[200];
    std::snprintf(text, sizeof text, "%s of %s at %zu: %g to %g, costs %g",
                  std::string{kChangeNames[static_cast<std::size_t>(change.kind)]}.c_str(),
                  change.rank == kAllRanks ? "all" : ("rank " + std::to_string(change.rank)).c_str(), change.group,
                  change.before_s, change.after_s, change.cost_s);
    all.emplace_back(text);
  }
  return all;
}

TEST(IterationChanges, AreNoneInEqualIterations) {
  for (const std::size_t ranks : {1U, 2U, 4U})
    EXPECT_THAT(texts(times_of(30, ranks, [](std::size_t, std::size_t rank) { return 10.0 + double(rank); })),
                IsEmpty());
  EXPECT_THAT(texts({}), IsEmpty());
}

TEST(IterationChanges, NameTheRankAndTheIterationFromWhichOnItIsSlower) {
  const auto compute = [](std::size_t i, std::size_t rank) { return rank == 1 && i >= 20 ? 13.0 : 10.0; };
  EXPECT_THAT(texts(times_of(50, 2, compute)), ElementsAre("step of rank 1 at 20: 10 to 13, costs 90"));
  EXPECT_THAT(texts(times_of(50, 4, compute)), ElementsAre("step of rank 1 at 20: 10 to 13, costs 270"));
  EXPECT_THAT(texts(times_of(50, 2, compute, 7)), ElementsAre("step of rank 1 at 20: 10 to 13, costs 630"));
}

TEST(IterationChanges, OfASingleRankCostItsOwnTime) {
  const auto compute = [](std::size_t i, std::size_t) { return i >= 20 ? 13.0 : 10.0; };
  EXPECT_THAT(texts(times_of(50, 1, compute)), ElementsAre("step of rank 0 at 20: 10 to 13, costs 90"));
}

TEST(IterationChanges, OfMostRanksAreOne) {
  const auto compute = [](std::size_t i, std::size_t) { return i >= 20 ? 13.0 : 10.0; };
  EXPECT_THAT(texts(times_of(50, 4, compute)), ElementsAre("step of all at 20: 10 to 13, costs 360"));
}

TEST(IterationChanges, CostNothingWhileAnotherRankComputesLonger) {
  const auto compute = [](std::size_t i, std::size_t rank) { return rank == 0 ? 20.0 : i >= 20 ? 13.0 : 10.0; };
  EXPECT_THAT(texts(times_of(50, 2, compute)), ElementsAre("step of rank 1 at 20: 10 to 13, costs 0"));
}

TEST(IterationChanges, AreATrendIfIterationsGrowSteadily) {
  const auto compute = [](std::size_t i, std::size_t) { return 10.0 + double(i); };
  // Without the first and the last value, which are smoothed away: 10 and 25.
  EXPECT_THAT(texts(times_of(16, 2, compute)).size(), 1U);
  const IterationChange change = find_changes(times_of(16, 2, compute)).front();
  EXPECT_EQ(change.kind, ChangeKind::trend);
  EXPECT_EQ(change.rank, kAllRanks);
  EXPECT_NEAR(change.before_s, 10, 0.5);
  EXPECT_NEAR(change.after_s, 25, 0.5);
  EXPECT_NEAR(change.cost_s, 2 * 120, 10);
}

TEST(IterationChanges, NameASlowIterationAndTheRankThatMakesItSlow) {
  const auto compute = [](std::size_t i, std::size_t rank) { return rank == 1 && i == 137 ? 41.0 : 10.0; };
  EXPECT_THAT(texts(times_of(200, 2, compute)), ElementsAre("slow iteration of rank 1 at 137: 10 to 41, costs 31"));
  const auto all = [](std::size_t i, std::size_t) { return i == 0 ? 41.0 : 10.0; };
  EXPECT_THAT(texts(times_of(200, 4, all)), ElementsAre("slow iteration of all at 0: 10 to 41, costs 124"));
}

TEST(IterationChanges, NameSlowIterationsBesideAStep) {
  const auto compute = [](std::size_t i, std::size_t rank) {
    return rank != 1 ? 10.0 : i == 30 ? 50.0 : i >= 20 ? 13.0 : 10.0;
  };
  EXPECT_THAT(texts(times_of(50, 2, compute)), ElementsAre("step of rank 1 at 20: 10 to 13, costs 127",
                                                           "slow iteration of rank 1 at 30: 13 to 50, costs 37"));
}

TEST(IterationChanges, NameIterationsThatAreSlowInMpi) {
  IterationTimes times = times_of(50, 2, [](std::size_t, std::size_t) { return 10.0; });
  times.duration_s[2 * 7] = times.duration_s[2 * 7 + 1] = 31;
  EXPECT_THAT(texts(times), ElementsAre("slow in MPI of all at 7: 11 to 31, costs 40"));
}

TEST(IterationChanges, AreTheTwentyMostExpensive) {
  const auto compute = [](std::size_t i, std::size_t) { return i % 4 == 1 ? 20.0 + double(i) : 10.0; };
  const auto changes = find_changes(times_of(200, 1, compute));
  ASSERT_EQ(changes.size(), 20U);
  EXPECT_EQ(changes.front().group, 197U);
  EXPECT_EQ(changes.back().group, 121U);
}

TEST(IterationChanges, AreNotNoise) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    std::mt19937_64 random{test::seeded(seed)};
    std::normal_distribution<double> noise{10, 1};
    const auto compute = [&](std::size_t, std::size_t) { return noise(random); };
    IterationTimes times = times_of(300, 2, compute);
    EXPECT_THAT(texts(times), IsEmpty()) << "seed " << seed;
  }
}

TEST(IterationChanges, AreNotIterationsThatAreLongAmongOthersOfAllLengths) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    std::mt19937_64 random{test::seeded(seed)};
    std::uniform_real_distribution<double> length{5, 20};  // a twelfth is above 1.5 times the median
    EXPECT_THAT(texts(times_of(300, 1, [&](std::size_t, std::size_t) { return length(random); })), IsEmpty()) << seed;
  }
}

TEST(IterationChanges, AreFoundInNoise) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    std::mt19937_64 random{test::seeded(seed)};
    std::normal_distribution<double> noise{0, 1};
    IterationTimes times = times_of(
        100, 2, [&](std::size_t i, std::size_t rank) { return (rank == 1 && i >= 40 ? 13.0 : 10.0) + noise(random); });
    const auto changes = find_changes(times);
    ASSERT_EQ(changes.size(), 1U) << "seed " << seed;
    EXPECT_EQ(changes[0].kind, ChangeKind::step);
    EXPECT_EQ(changes[0].rank, 1U);
    EXPECT_NEAR(static_cast<double>(changes[0].group), 40, 3) << "seed " << seed;
    EXPECT_NEAR(changes[0].after_s - changes[0].before_s, 3, 0.8) << "seed " << seed;
  }
}

}  // namespace
}  // namespace meridian
