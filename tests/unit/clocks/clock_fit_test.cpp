// SPDX-License-Identifier: Apache-2.0
// The fitted clocks compared with known truth. clock_matrix prints the whole table, over ten seeds.

#include <gtest/gtest.h>

#include "clock_scenarios.hpp"

namespace meridian::test {
namespace {

void expect_acceptance(const Acceptance& limits, std::uint64_t seed) {
  Scenario scenario = limits.scenario;
  scenario.seed = seed;
  SCOPED_TRACE(scenario.name + ", seed " + std::to_string(seed));
  const SimulatedRun run{scenario};
  const ClockTrial trial{run, ClockModel::meridian};
  const ErrorFigures error = errors(run, trial.clocks);
  EXPECT_LE(error.p50, limits.p50);
  EXPECT_LE(error.p99, limits.p99);
  EXPECT_LE(error.max, limits.max);
  if (!limits.may_reverse) {
    EXPECT_EQ(trial.reversed, 0u);
  }
  for (const BoundLevel level : {BoundLevel::t1, BoundLevel::t2}) {
    const BoundFigures figures = bounds(run, trial.clocks, level, 4000);
    EXPECT_EQ(figures.outside, 0u);
    EXPECT_LE(static_cast<double>(figures.uncertified), limits.uncertified * static_cast<double>(figures.points));
    EXPECT_LE(figures.p50, level == BoundLevel::t1 ? limits.t1_p50 : limits.t2_p50);
    EXPECT_LE(figures.p99, level == BoundLevel::t1 ? limits.t1_p99 : 1e9);
  }
}

class ClockAcceptance : public testing::TestWithParam<std::size_t> {};

TEST_P(ClockAcceptance, Holds) { expect_acceptance(acceptances()[GetParam()], 1); }

INSTANTIATE_TEST_SUITE_P(In, ClockAcceptance, testing::Range(std::size_t{0}, acceptances().size()),
                         [](const auto& chosen) {
                           std::string name = acceptances()[chosen.param].scenario.name;
                           for (char& c : name)
                             if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
                           return name;
                         });

TEST(ClockFitModels, IsAHundredTimesBetterThanLinesUnderThermalDrift) {
  const SimulatedRun run{{}};
  EXPECT_LE(100 * errors(run, ClockTrial{run, ClockModel::meridian}.clocks).p99,
            errors(run, ClockTrial{run, ClockModel::linear}.clocks).p99);
}

TEST(ClockFitModels, IsNoWorseThanLinesOnStraightClocks) {
  for (const std::uint64_t seed : {1u, 6u, 9u}) {
    const SimulatedRun run{{.drift = Drift::linear, .seed = seed}};
    const ErrorFigures ours = errors(run, ClockTrial{run, ClockModel::meridian}.clocks);
    const ErrorFigures line = errors(run, ClockTrial{run, ClockModel::linear}.clocks);
    EXPECT_LE(ours.p99, line.p99 + 1.5 / run.scenario.latency_ns);  // a nanosecond of rounding
    EXPECT_LE(ours.max, line.max + 1.5 / run.scenario.latency_ns);
  }
}

/// Two hosts whose rates change by 20 ppm a second, there and back.
Scenario bending(std::uint64_t seed) {
  Scenario one{.name = "bending",
               .hosts = 2,
               .ranks_per_host = 1,
               .seconds = 16,
               .iteration_ms = 1,
               .latency_ns = 7000,
               .drift = Drift::linear,
               .seed = seed};
  for (int part = 0; part < 64; ++part)
    one.slews.push_back({1, part * .25, .25, 5. * (part / 16 % 2 == 0 ? part % 16 : 15 - part % 16)});
  return one;
}

TEST(ClockFitModels, KnotsAreAsCloseAsClocksBendWhereThereAreManyMessages) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    const SimulatedRun run{bending(seed)};
    EXPECT_LE(errors(run, ClockTrial{run, ClockModel::meridian}.clocks).p99, .15);
    ClockOptions coarse;
    coarse.segment_s = 1;
    EXPECT_GE(errors(run, ClockTrial{run, coarse}.clocks).p99, .25) << "knots every second";
  }
}

TEST(ClockFitModels, ARunOfThreeSecondsIsLongEnoughToShowThatClocksBend) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    Scenario scenario{.name = "short",
                      .hosts = 4,
                      .ranks_per_host = 1,
                      .seconds = 3,
                      .iteration_ms = .2,
                      .latency_ns = 15'000,
                      .drift = Drift::linear,
                      .delays = DelayShape::gamma,
                      .seed = seed};
    for (int host = 1; host < scenario.hosts; ++host)  // rates change by 5 ppm a second, times the host
      for (int step = -4; step < 16; ++step)
        scenario.slews.push_back({host, step * .25, .25, host * (10 - 1.25 * step)});
    const SimulatedRun run{scenario};
    const ClockTrial trial{run, ClockModel::meridian};
    EXPECT_EQ(trial.clocks.verdict.shape, "bends");
    EXPECT_LE(errors(run, trial.clocks).p99, .15);
  }
}

TEST(ClockFitModels, KeepsLocalIntervals) {
  const SimulatedRun run{{.seconds = 100}};
  EXPECT_LE(worst_distortion(run, ClockTrial{run, ClockModel::meridian}.clocks, 1), 5);
}

TEST(ClockFitModels, TheHullOfMessagesLeavesNothingReversedOnStraightClocks) {
  const SimulatedRun run{{.seconds = 60, .drift = Drift::linear}};
  const ClockTrial trial{run, ClockModel::hull};
  EXPECT_EQ(trial.reversed, 0u);
  EXPECT_LE(errors(run, trial.clocks).p99, 0.25);
  EXPECT_EQ(trial.clocks.table[1].model, "hull");
  EXPECT_TRUE(trial.clocks.bounds.domains.empty());
}

TEST(ClockFitModels, TheSameSamplesGiveTheSameClocks) {
  const SimulatedRun run{{.hosts = 5, .seconds = 30}};
  const ClockTrial one{run, ClockModel::meridian}, other{run, ClockModel::meridian};
  EXPECT_EQ(one.correction.z, other.correction.z);
}

TEST(ClockFitModels, TheReferenceCanBeChosen) {
  const SimulatedRun run{{.hosts = 4, .seconds = 30}};
  ClockOptions options;
  options.reference = "5";  // of host 2
  const ClockTrial trial{run, options};
  EXPECT_EQ(trial.clocks.reference, 2u);
  EXPECT_EQ(trial.clocks.table[2].model, "reference");
  EXPECT_LE(errors(run, trial.clocks).p99, 0.10);
}

// Assumptions violated on purpose: reported for every seed, and nothing false is certified.

class BrokenClocks : public testing::TestWithParam<std::uint64_t> {
 protected:
  static Scenario scenario(const std::string& name) {
    Scenario one = broken_scenario(name);
    one.seed = GetParam();
    return one;
  }
  static bool has(const Clocks& clocks, const std::string& finding) {
    return std::ranges::any_of(clocks.findings, [&](const Finding& one) { return one.name == finding; });
  }
  static void expect_no_false_bound(const SimulatedRun& run, const Clocks& clocks) {
    EXPECT_EQ(bounds(run, clocks, BoundLevel::t1, 2000).outside, 0u);
  }
};

TEST_P(BrokenClocks, RatesThatNoOscillatorHasAreFlagged) {
  const SimulatedRun run{scenario("wild")};
  const ClockTrial trial{run, ClockModel::meridian};
  EXPECT_TRUE(has(trial.clocks, "clock.rate_changed"));
  expect_no_false_bound(run, trial.clocks);
}

TEST_P(BrokenClocks, HostsThatWronglyNameOneDomainAreSeparated) {
  const SimulatedRun run{scenario("wrong-domain")};
  const ClockTrial trial{run, ClockModel::meridian};
  EXPECT_TRUE(trial.is_split);
  EXPECT_EQ(trial.reversed, 0u);
  expect_no_false_bound(run, trial.clocks);
}

TEST_P(BrokenClocks, ExchangedRanksAreSeparated) {
  const SimulatedRun run{scenario("swapped")};
  const ClockTrial trial{run, ClockModel::meridian};
  EXPECT_TRUE(trial.is_split);
  EXPECT_EQ(trial.reversed, 0u);
  expect_no_false_bound(run, trial.clocks);
}

TEST_P(BrokenClocks, MessagesReplaceRoundTripsAtTheEnd) {
  const SimulatedRun run{scenario("no-finish")};
  const ClockTrial trial{run, ClockModel::meridian};
  EXPECT_EQ(trial.reversed, 0u);
  EXPECT_LE(errors(run, trial.clocks).p99, 0.5);
  expect_no_false_bound(run, trial.clocks);
}

TEST_P(BrokenClocks, MessagesReplaceAllRoundTrips) {
  const SimulatedRun run{scenario("no-exchanges")};
  const ClockTrial trial{run, ClockModel::meridian};
  EXPECT_EQ(trial.reversed, 0u);
  EXPECT_LE(errors(run, trial.clocks).p99, 0.5);
  EXPECT_FALSE(has(trial.clocks, "clock.unsynchronised"));
  expect_no_false_bound(run, trial.clocks);
}

TEST_P(BrokenClocks, UnconnectedHostsHaveNoBound) {
  const SimulatedRun run{scenario("apart")};
  const ClockTrial trial{run, ClockModel::meridian};
  EXPECT_TRUE(has(trial.clocks, "clock.unsynchronised"));
  const BoundFigures figures = bounds(run, trial.clocks, BoundLevel::t1);
  EXPECT_EQ(figures.uncertified, figures.points);
  EXPECT_LE(errors(run, trial.clocks).max, 12e6 / run.scenario.latency_ns);  // as good as the realtime clocks
}

TEST_P(BrokenClocks, AStepIsReportedAndHasNoFalseBoundAroundIt) {
  Scenario one{.hosts = 6, .seconds = 60, .step_ns = 50'000};
  one.seed = GetParam();
  const SimulatedRun run{one};
  const ClockTrial trial{run, ClockModel::meridian};
  EXPECT_TRUE(has(trial.clocks, "clock.step") || has(trial.clocks, "clock.rate_changed"));
  EXPECT_TRUE(has(trial.clocks, "clock.uncertified"));
  expect_no_false_bound(run, trial.clocks);
}

INSTANTIATE_TEST_SUITE_P(Seed, BrokenClocks, testing::Range<std::uint64_t>(1, 6));

}  // namespace
}  // namespace meridian::test
