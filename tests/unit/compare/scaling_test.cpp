// SPDX-License-Identifier: Apache-2.0
#include "summary/compare/scaling.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/compare/made_runs.hpp"

namespace meridian {
namespace {

/// One thread a rank.
Summary run_on(std::int32_t ranks, double time_s, double compute_s) {
  Summary summary = made::run_of(ranks, time_s + 1);
  made::add_efficiency(summary, static_cast<std::uint64_t>(ranks), time_s, compute_s);
  return summary;
}

TEST(Scaling, OfTheSameWorkHasTheFactorsOfPop) {
  const std::vector<RunGroup> groups{made::group_of("one", {run_on(1, 12, 12)}),
                                     made::group_of("four", {run_on(4, 4, 15)})};
  const std::vector<ScalingRow> rows = scaling_of(groups, false);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].speedup, 1);
  EXPECT_EQ(rows[0].efficiency, 1);
  EXPECT_EQ(rows[0].computation, 1);
  EXPECT_EQ(rows[0].global, 1);
  EXPECT_EQ(rows[1].ranks, 4);
  EXPECT_DOUBLE_EQ(rows[1].speedup, 3);
  EXPECT_DOUBLE_EQ(rows[1].efficiency, 0.75);
  EXPECT_DOUBLE_EQ(rows[1].parallel, 15.0 / 16);
  EXPECT_DOUBLE_EQ(rows[1].computation, 0.8);
  EXPECT_DOUBLE_EQ(rows[1].global, 0.75);
  EXPECT_TRUE(std::isnan(rows[1].ipc));
}

TEST(Scaling, GlobalEfficiencyIsThatOfTheFirstRunTimesTheEfficiencyOfScaling) {
  const std::vector<RunGroup> groups{made::group_of("two", {run_on(2, 10, 16)}),
                                     made::group_of("eight", {run_on(8, 3.7, 19)})};
  const std::vector<ScalingRow> rows = scaling_of(groups, false);
  EXPECT_NEAR(rows[1].global, rows[0].parallel * rows[1].efficiency, 1e-12);
}

TEST(Scaling, OfGrowingWorkComparesWorkOfAThread) {
  const std::vector<RunGroup> groups{made::group_of("one", {run_on(1, 10, 10)}),
                                     made::group_of("four", {run_on(4, 12.5, 44)})};
  const std::vector<ScalingRow> rows = scaling_of(groups, true);
  EXPECT_DOUBLE_EQ(rows[1].speedup, 3.2);
  EXPECT_DOUBLE_EQ(rows[1].efficiency, 0.8);
  EXPECT_DOUBLE_EQ(rows[1].computation, 40.0 / 44);
  EXPECT_DOUBLE_EQ(rows[1].global, 0.8);
}

TEST(Scaling, CountersSplitTheScalingOfComputing) {
  Summary one = run_on(1, 10, 10);
  Summary two = run_on(2, 6, 12);
  // computing = instructions / (instructions per cycle * frequency)
  one.efficiencies[0].instructions = 40;
  one.efficiencies[0].ipc = 2;
  one.efficiencies[0].frequency_hz = 2;
  two.efficiencies[0].instructions = 48;
  two.efficiencies[0].ipc = 1.6;
  two.efficiencies[0].frequency_hz = 2.5;
  const std::vector<RunGroup> groups{made::group_of("one", {one}), made::group_of("two", {two})};
  const ScalingRow row = scaling_of(groups, false)[1];
  EXPECT_DOUBLE_EQ(row.instructions, 40.0 / 48);
  EXPECT_DOUBLE_EQ(row.ipc, 0.8);
  EXPECT_DOUBLE_EQ(row.frequency, 1.25);
  EXPECT_NEAR(row.computation, row.instructions * row.ipc * row.frequency, 1e-12);
}

TEST(Scaling, RepeatsCountWithTheirMean) {
  const std::vector<RunGroup> groups{made::group_of("one", {run_on(1, 11, 12), run_on(1, 13, 12)}),
                                     made::group_of("two", {run_on(2, 5, 12), run_on(2, 7, 12)})};
  EXPECT_DOUBLE_EQ(scaling_of(groups, false)[1].speedup, 2);
}

TEST(Scaling, SeveralScalesAreSeen) {
  const RunGroup one = made::group_of("one", {run_on(1, 10, 10)});
  const RunGroup three = made::group_of("three", {run_on(3, 10, 10), run_on(3, 10, 10), run_on(3, 11, 10)});
  EXPECT_TRUE(have_several_scales(std::vector{one, three}));
  EXPECT_FALSE(have_several_scales(std::vector{three, three}));
  EXPECT_FALSE(have_several_scales({}));
}

}  // namespace
}  // namespace meridian
