// SPDX-License-Identifier: Apache-2.0
// Runs that violate the assumptions about clocks and messages: each is reported or harmless, and no bound is false.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "clock_scenarios.hpp"
#include "tests/support/seed.hpp"

namespace meridian::test {
namespace {

constexpr std::uint64_t kSeeds = cases(3);  // clock_matrix 10 broken: ten of each
constexpr int kMoments = 1000;

class BrokenAssumptions : public testing::TestWithParam<std::size_t> {};

TEST_P(BrokenAssumptions, AreReportedOrHarmlessAndCertifyNoFalseBound) {
  const Broken broken = broken_runs()[GetParam()];
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Scenario scenario = broken.scenario;
    scenario.seed = seed;
    const BrokenFigures figures = try_broken(scenario, broken.findings, kMoments);
    EXPECT_EQ(figures.outside, 0u) << "seed " << seed;
    EXPECT_TRUE(figures.is_said) << "seed " << seed;
    EXPECT_GT(figures.points, 1000u);
  }
}

INSTANTIATE_TEST_SUITE_P(In, BrokenAssumptions, testing::Range(std::size_t{0}, broken_runs().size()),
                         [](const auto& chosen) {
                           std::string name = broken_runs()[chosen.param].scenario.name;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace meridian::test
