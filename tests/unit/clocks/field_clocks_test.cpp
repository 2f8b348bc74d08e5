// SPDX-License-Identifier: Apache-2.0
// The methods that Meridian is compared with do what their papers say.

#include "field_clocks.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "controlled_logical_clock.hpp"
#include "field_comparison.hpp"

namespace meridian::test {
namespace {

Scenario straight_run() {
  Scenario scenario = field_scenario("straight");
  scenario.hosts = 5;
  scenario.seconds = 10;
  return scenario;
}

/// The largest error of any host in the middle of the run, ns.
double error(const SimulatedRun& run, const FieldClocks& clocks) {
  const double at_s = (run.begin_s + run.end_s) / 2;
  double worst = 0;
  for (std::size_t h = 0; h < run.clocks.size(); ++h)
    worst = std::max(worst, std::abs(clocks[h](static_cast<double>(run.clocks[h].ticks(at_s))) -
                                     static_cast<double>(run.clocks[0].ticks(at_s))));
  return worst;
}

TEST(FieldClocks, AreWithinALatencyOfStraightClocks) {
  SimulatedRun run{straight_run()};
  int without = 0;
  EXPECT_LT(error(run, line_between_ends(run)), run.scenario.latency_ns);
  EXPECT_LT(error(run, duda_hull(run, without)), run.scenario.latency_ns);
  EXPECT_EQ(without, 0);
  const auto jk = jones_koenig(run, .2), hca = hca3(run, .2);
  EXPECT_LT(error(run, extrapolated(jk)), run.scenario.latency_ns);
  EXPECT_LT(error(run, extrapolated(hca)), run.scenario.latency_ns);
  EXPECT_LT(error(run, interpolated(jk, jones_koenig(run, run.end_s + .1))), run.scenario.latency_ns);
  EXPECT_LT(error(run, interpolated(hca, hca3(run, run.end_s + .1))), run.scenario.latency_ns);
}

/// y between 0 and 2 at 0 and between 8 and 10 at 10: the steepest line is y = x, the flattest y = 2 + 0.6 x.
TEST(FieldClocks, DudasLineIsTheMeanOfTheSteepestAndTheFlattest) {
  constexpr double kMicro = 1e-6;  // slopes below 1e-3
  const std::vector<HullPoint> at_least{{0, 0}, {10, 8 * kMicro}}, at_most{{0, 2 * kMicro}, {10, 10 * kMicro}};
  const HullLineOfDuda found = duda_line(at_least, at_most);
  EXPECT_TRUE(found.exists);
  EXPECT_NEAR(found.line.slope, .8 * kMicro, 1e-9 * kMicro);
  EXPECT_NEAR(found.line.offset_ns, kMicro, 1e-3 * kMicro);
}

TEST(FieldClocks, DudasLineDoesNotExistWhereClocksBend) {
  const std::vector<HullPoint> at_least{{0, 0}, {5, 3e-6}, {10, 0}}, at_most{{0, 1e-6}, {5, 4e-6}, {10, 1e-6}};
  EXPECT_FALSE(duda_line(at_least, at_most).exists);
}

/// A message that is received 500 ns before it was sent: the receive moves, the next event follows at 99 % of its pace, and the one
/// before moves by as much, less a hundredth of the distance.
TEST(ControlledLogicalClock, MovesTheReceiveAndSpreadsTheMove) {
  const std::vector<TracedEvent> events{{1, 0, {}}, {1, 9000, {}}, {0, 10'000, {}}, {1, 9500, {2}}, {1, 20'000, {}}};
  const std::vector<double> times = controlled_logical_clock(events, {.latency_ns = 100});
  EXPECT_EQ(times[2], 10'000);
  EXPECT_EQ(times[3], 10'100);
  EXPECT_NEAR(times[4], 10'100 + .99 * 10'500, 1e-6);
  EXPECT_NEAR(times[1], 9000 + 600 - .01 * 1100, 1e-6);
  EXPECT_NEAR(times[0], 600 - .01 * 1100 - .01 * 9000, 1e-6);
}

TEST(ControlledLogicalClock, MovesNoSendBeyondItsReceive) {
  // The send of process 1 (event 0) is received at 950 by process 2; its later receive moves by 600.
  const std::vector<TracedEvent> events{{1, 800, {}}, {2, 950, {0}}, {0, 2000, {}}, {1, 1500, {2}}};
  const std::vector<double> times = controlled_logical_clock(events, {.latency_ns = 100});
  EXPECT_EQ(times[3], 2100);
  EXPECT_LE(times[0] + 100, times[1]);
}

TEST(FieldComparison, LeavesNoMessageReversedWithTheControlledLogicalClock) {
  const FieldComparison all = compare_field("temperature", 1);
  ASSERT_EQ(all.methods.size(), 8u);
  EXPECT_GT(all.methods[0].reversed, 0u);
  EXPECT_EQ(all.methods[1].reversed, 0u);
  EXPECT_EQ(all.methods.back().reversed, 0u);
  EXPECT_LT(all.methods.back().p99_ns, all.methods[0].p99_ns);
  EXPECT_EQ(all.checked.outside, 0u);
}

}  // namespace
}  // namespace meridian::test
