// SPDX-License-Identifier: Apache-2.0
// Programs that one started, or that connected: no exchanges tie their hosts, only messages, and their realtime clocks differ.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "clock_simulator.hpp"

namespace meridian::test {
namespace {

/// The later half of the hosts is a world of its own. Its realtime clocks are off by `apart_s`, and all of them show another rate
/// than the true one by `kFalseRate`.
class WorldsApart : public testing::TestWithParam<double> {
 protected:
  static constexpr double kFalseRate = 150e-6, kNs = 1e9;

  static SimulatedRun run_of(const Scenario& scenario, double apart_s) {
    SimulatedRun run{scenario};
    const int first = (scenario.hosts + 1) / 2;
    for (RankMeta& meta : run.metas) {
      const bool is_later = meta.rank >= first;
      std::erase_if(meta.exchanges, [&](const ExchangeRow& row) { return is_later != (row.peer >= first); });
      if (is_later)
        for (AnchorRow& anchor : meta.anchors) anchor.realtime_ns += std::llround(apart_s * kNs);
      const double false_s = (meta.rank % 2 == 0 ? -1 : 1) * kFalseRate * scenario.seconds;
      meta.anchors.back().realtime_ns += std::llround(false_s * kNs);
    }
    return run;
  }
};

TEST_P(WorldsApart, AreCorrectedAsExactlyAsIfTheirRealtimeClocksAgreed) {
  std::uint64_t points = 0, uncertified = 0;
  for (const int hosts : {2, 3, 4})
    for (const Drift drift : {Drift::linear, Drift::thermal})
      for (const bool has_exchanges : {true, false}) {
        const Scenario scenario{.name = "apart",
                                .hosts = hosts,
                                .ranks_per_host = 1,
                                .seconds = 3,
                                .iteration_ms = 1,
                                .drift = drift,
                                .has_finish = has_exchanges,
                                .has_start = has_exchanges};
        const SimulatedRun run = run_of(scenario, GetParam());
        const ClockTrial trial{run, ClockOptions{}};
        const BoundFigures figures = bounds(run, trial.clocks, BoundLevel::t1);
        EXPECT_EQ(figures.outside, 0u);
        EXPECT_LE(errors(run, trial.clocks).p99, 1)
            << hosts << " hosts, drift " << static_cast<int>(drift) << ", exchanges " << has_exchanges;
        points += figures.points;
        uncertified += figures.uncertified;
      }
  EXPECT_LT(uncertified, points / 10);
}

INSTANTIATE_TEST_SUITE_P(Seconds, WorldsApart, testing::Values(0, .3, -.3, 5, -5, 3600, -3600));

}  // namespace
}  // namespace meridian::test
