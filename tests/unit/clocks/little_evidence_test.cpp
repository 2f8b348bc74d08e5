// SPDX-License-Identifier: Apache-2.0
// Runs that say little about how clocks run: short ones.

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "clock_simulator.hpp"

namespace meridian::test {
namespace {

Scenario short_run(double seconds, std::uint64_t seed) {
  Scenario one{.name = "short", .hosts = 4, .ranks_per_host = 1, .seconds = seconds, .iteration_ms = 5};
  one.latency_ns = 10'000;
  one.delays = DelayShape::gamma;
  one.seed = seed;
  return one;
}

TEST(RunsBelowASecond, AreLinesWhereTheExchangesAtBothEndsSaySo) {
  for (const double seconds : {.1, .3, .8})
    for (const Drift drift : {Drift::linear, Drift::thermal})
      for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        SCOPED_TRACE(std::to_string(seconds) + " s, seed " + std::to_string(seed));
        Scenario scenario = short_run(seconds, seed);
        scenario.drift = drift;
        const SimulatedRun run{scenario};
        const ClockTrial trial{run, ClockModel::meridian};
        EXPECT_EQ(trial.clocks.verdict.shape, "lines");
        EXPECT_LE(errors(run, trial.clocks).p99, 0.1);  // constant distances are up to 1 off
        EXPECT_EQ(trial.reversed, 0u);
        EXPECT_EQ(bounds(run, trial.clocks, BoundLevel::t1, 1000).outside, 0u);
      }
}

TEST(RunsBelowASecond, KeepTheDistanceOfClocksThatHaveOneRate) {
  for (const double seconds : {.1, .3, .8})
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      SCOPED_TRACE(std::to_string(seconds) + " s, seed " + std::to_string(seed));
      Scenario scenario = short_run(seconds, seed);
      scenario.drift = Drift::linear;
      scenario.has_skew = false;
      const SimulatedRun run{scenario};
      const ClockTrial trial{run, ClockModel::meridian};
      EXPECT_EQ(trial.clocks.verdict.shape, "offsets");
      EXPECT_LE(errors(run, trial.clocks).p99, 0.05);
    }
}

}  // namespace
}  // namespace meridian::test
