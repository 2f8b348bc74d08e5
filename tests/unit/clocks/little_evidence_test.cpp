// SPDX-License-Identifier: Apache-2.0
// Runs that say little about how clocks run: short ones, and some with few or late messages.

#include <gtest/gtest.h>

#include <cstddef>
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

/// A message from each host to a random one now and then, and exchanges every 10 s.
Scenario few_messages(Drift drift, std::uint64_t seed) {
  Scenario one{.name = "few", .hosts = 4, .ranks_per_host = 1, .seconds = 60, .iteration_ms = 100};
  one.latency_ns = 10'000;
  one.drift = drift;
  one.pattern = Pattern::random;
  one.collective_every = 10;  // the exchanges follow them
  one.epoch_s = 10;
  one.seed = seed;
  return one;
}

/// Keeps one message of `many`, and no collectives.
void thin(SimulatedRun& run, std::size_t many) {
  std::size_t number = 0;
  std::erase_if(run.messages, [&](const MatchedMessage&) { return ++number % many != 0; });
  run.collectives.clear();
}

TEST(FewMessages, LeaveHalfOfTheErrorOfLinesWhereClocksBend) {
  double ours = 0, lines = 0;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    SimulatedRun run{few_messages(Drift::thermal, seed)};
    thin(run, 160);
    ASSERT_LE(run.messages.size(), 40u);
    const ClockTrial trial{run, ClockModel::meridian};
    ours += errors(run, trial.clocks).p99;
    lines += errors(run, ClockTrial{run, ClockModel::linear}.clocks).p99;
    EXPECT_EQ(trial.reversed, 0u);
    EXPECT_EQ(bounds(run, trial.clocks, BoundLevel::t1, 1000).outside, 0u);
  }
  EXPECT_LE(ours, 0.5 * lines);
}

TEST(FewMessages, LeaveStraightClocksStraight) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    SimulatedRun run{few_messages(Drift::linear, seed)};
    thin(run, 160);
    const ClockTrial trial{run, ClockModel::meridian};
    EXPECT_EQ(trial.clocks.verdict.shape, "lines");
    EXPECT_LE(errors(run, trial.clocks).p99, 0.02);
  }
}

/// Straight clocks, and hosts so busy that every message is up to some milliseconds late.
Scenario late_messages(std::uint64_t seed) {
  Scenario one{.name = "late", .hosts = 4, .ranks_per_host = 1, .seconds = 60, .latency_ns = 10'000};
  one.drift = Drift::linear;
  one.delays = DelayShape::recorded;
  for (int host = 0; host < one.hosts; ++host) one.loads.push_back({host, -5, 100, 500'000});
  one.seed = seed;
  return one;
}

TEST(LateMessages, BendClocksThatNoSystemSlewsLessThanOthers) {
  double steady = 0, slewed = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    SimulatedRun run{late_messages(seed)};
    for (const ClockKind kind : {ClockKind::monotonic_raw, ClockKind::monotonic}) {
      for (RankMeta& meta : run.metas) meta.clock = kind;
      const ClockTrial trial{run, ClockModel::meridian};
      (kind == ClockKind::monotonic ? slewed : steady) += errors(run, trial.clocks).p99;
      EXPECT_EQ(trial.reversed, 0u);
      EXPECT_EQ(bounds(run, trial.clocks, BoundLevel::t1, 1000).outside, 0u);
    }
  }
  EXPECT_LE(steady, 0.85 * slewed);
}

}  // namespace
}  // namespace meridian::test
