// SPDX-License-Identifier: Apache-2.0
// Clocks fitted on networks as they are, compared with known truth.

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <string>

#include "clock_networks.hpp"

namespace meridian::test {
namespace {

class ClockNetwork : public testing::TestWithParam<std::size_t> {};

TEST_P(ClockNetwork, KeepsClocksCloseAndCertifiesNothingFalse) {
  const Network limits = networks()[GetParam()];
  for (std::uint64_t seed = 1; seed <= limits.seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Scenario scenario = limits.scenario;
    scenario.seed = seed;
    const SimulatedRun run{scenario};
    const ClockTrial trial{run, ClockModel::meridian};
    const ErrorFigures error = errors(run, trial.clocks);
    EXPECT_LE(error.p99, limits.p99);
    EXPECT_EQ(trial.reversed, 0u);
    if (limits.is_straight) {
      EXPECT_LE(error.p99, 1.1 * errors(run, ClockTrial{run, ClockModel::linear}.clocks).p99);
    }
    for (const BoundLevel level : {BoundLevel::t1, BoundLevel::t2}) {
      const BoundFigures figures = bounds(run, trial.clocks, level, 2000);
      EXPECT_EQ(figures.outside, 0u) << (level == BoundLevel::t1 ? "T1" : "T2");
      EXPECT_LE(static_cast<double>(figures.uncertified), limits.uncertified * static_cast<double>(figures.points));
    }
    // Half of the quickest round trip cannot be observed.
    for (const ClockSummary& row : trial.clocks.table)
      if (row.t1_s >= 0 && row.model != "reference") {
        EXPECT_GE(row.t1_s * 1e9, 0.9 * scenario.latency_ns) << row.host;
      }
  }
}

INSTANTIATE_TEST_SUITE_P(With, ClockNetwork, testing::Range(std::size_t{0}, networks().size()), [](const auto& chosen) {
  std::string name = networks()[chosen.param].scenario.name;
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return name;
});

TEST(ClockVerdicts, AreStraightWhereClocksAreAndBendsWhereTheyBend) {
  for (const Network& one : networks()) {
    if (one.scenario.name != "tcp-straight" && one.scenario.name != "tcp-slewed") continue;
    const SimulatedRun run{one.scenario};
    const Clocks clocks = ClockTrial{run, ClockModel::meridian}.clocks;
    EXPECT_EQ(clocks.verdict.shape, one.is_straight ? "lines" : "bends") << one.scenario.name;
  }
}

}  // namespace
}  // namespace meridian::test
