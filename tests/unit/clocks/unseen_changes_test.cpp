// SPDX-License-Identifier: Apache-2.0
// Changes of clocks and networks that messages hardly show: the fit is no worse than simpler ones, and no bound is wrong.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "clock_simulator.hpp"

namespace meridian::test {
namespace {

ErrorFigures errors_of(const SimulatedRun& run, ClockModel model) { return errors(run, ClockTrial{run, model}.clocks); }

/// Straight clocks, and a message each way every 2 s; exchanges every 10 s.
Scenario few_messages(std::vector<FloorChange> floors, std::uint64_t seed) {
  Scenario one{.name = "floors", .hosts = 4, .ranks_per_host = 1, .seconds = 30, .latency_ns = 10'000};
  one.drift = Drift::linear;
  one.delays = DelayShape::pareto;
  one.only_every = 100;
  one.collective_every = 500;
  one.epoch_s = 10;
  one.floors = std::move(floors);
  one.seed = seed;
  return one;
}

class MovingFloors : public testing::TestWithParam<int> {};

TEST_P(MovingFloors, LeaveStraightClocksAsCloseAsTheLineBetweenTheQuickestRoundTrips) {
  const std::vector<std::vector<FloorChange>> changes{{{5, 3}}, {{15, 2}, {25, 3.5}}, {{0, 3}, {25, 1}}};
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const SimulatedRun run{few_messages(changes[static_cast<std::size_t>(GetParam())], seed)};
    const double line = errors_of(run, ClockModel::linear).p99;
    const ClockTrial trial{run, ClockModel::meridian};
    EXPECT_LE(errors(run, trial.clocks).p99, std::max(1.1 * line, 0.05))
        << "line " << line << "; " << trial.clocks.verdict.shape;
  }
}

INSTANTIATE_TEST_SUITE_P(ThatChange, MovingFloors, testing::Range(0, 3));

/// Two hosts, one of which is slewed at 500 ppm by so many smallest latencies, at most twice.
Scenario slewed_pair(std::vector<double> by, std::uint64_t seed, bool is_congested) {
  Scenario one{
      .name = "slews", .hosts = 2, .ranks_per_host = 1, .seconds = 30, .iteration_ms = 18.3, .latency_ns = 41'000};
  one.drift = Drift::linear;
  one.collective_every = 0;
  one.is_congested = is_congested;
  one.epoch_s = 10;
  for (std::size_t i = 0; i < by.size(); ++i) {
    const double seconds = std::max(0.05, std::abs(by[i]) * one.latency_ns * 1e-9 / 500e-6);
    one.slews.push_back({1, 10.3 + 10 * static_cast<double>(i), seconds, by[i] * one.latency_ns * 1e-3 / seconds});
  }
  one.seed = seed;
  return one;
}

TEST(UnseenSlews, LeaveNoTimeOutsideItsBoundsWithoutAFinding) {
  const std::vector<std::vector<double>> slews{{1.5, -1.5}, {0.8, -0.8}, {1, -1}, {2, -2}, {1.2}, {2}};
  for (const std::vector<double>& by : slews)
    for (const bool is_congested : {false, by[0] >= 1 && by.size() > 1})
      for (const std::uint64_t seed : {1u, 2u}) {
        SCOPED_TRACE(std::to_string(by[0]) + (by.size() > 1 ? " and back" : "") + (is_congested ? ", congested" : "") +
                     ", seed " + std::to_string(seed));
        const Scenario scenario = slewed_pair(by, seed, is_congested);
        const SimulatedRun run{scenario};
        const ClockTrial trial{run, ClockModel::meridian};
        for (const BoundLevel level : {BoundLevel::t1, BoundLevel::t2}) {
          const std::uint64_t outside = bounds(run, trial.clocks, level, 4000).outside;
          EXPECT_TRUE(outside == 0 || (is_congested && !trial.clocks.findings.empty()))
              << outside << (level == BoundLevel::t1 ? " T1" : " T2");
        }
        for (const ClockSummary& row : trial.clocks.table)
          if (row.model != "reference" && row.t1_s >= 0) {
            EXPECT_GE(row.t1_s * 1e9, scenario.latency_ns) << "half of a round trip cannot be observed";
          }
      }
}

TEST(StepsOfAllHosts, KeepTheModelWithTheFewestReversals) {
  for (const double size_ns : {1e6, 1e9}) {
    Scenario scenario{.name = "steps", .hosts = 8, .ranks_per_host = 1, .seconds = 60, .latency_ns = 10'000};
    for (int host = 0; host < scenario.hosts; ++host)
      scenario.sets.push_back({host, 30.3 + 0.05 * ((host * 3) % 8), size_ns});
    const SimulatedRun run{scenario};
    const std::uint64_t reversed = ClockTrial{run, ClockModel::meridian}.reversed;
    for (const ClockModel model : {ClockModel::offset, ClockModel::linear, ClockModel::regression, ClockModel::hull})
      EXPECT_LE(reversed, (ClockTrial{run, model}.reversed)) << size_ns << " ns, " << static_cast<int>(model);
  }
}

}  // namespace
}  // namespace meridian::test
