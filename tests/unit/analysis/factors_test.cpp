// SPDX-License-Identifier: Apache-2.0
// Efficiencies from times and counters.

#include "analysis/efficiency/efficiency_factors.hpp"

#include <gtest/gtest.h>

#include "analysis/efficiency/counted_efficiency.hpp"
#include "analysis/efficiency/thread_counts.hpp"

namespace meridian::test {
namespace {

TEST(Factors, AreThoseOfPop) {
  EfficiencySummary row;
  fill_factors({1000, 800, {300, 500}, 800, 2}, row);
  EXPECT_DOUBLE_EQ(row.load_balance, 0.8);
  EXPECT_DOUBLE_EQ(row.serialisation, 0.625);
  EXPECT_DOUBLE_EQ(row.transfer, 0.8);
  EXPECT_DOUBLE_EQ(row.communication, 0.5);
  EXPECT_DOUBLE_EQ(row.mpi_factor, 0.4);
  EXPECT_DOUBLE_EQ(row.thread_factor, 1);
  EXPECT_DOUBLE_EQ(row.parallel, 0.4);
}

TEST(Factors, GiveThreadsWithoutWorkTheirOwnFactor) {
  EfficiencySummary row;
  fill_factors({1000, 1000, {1000, 1000}, 5000, 8}, row);
  EXPECT_DOUBLE_EQ(row.mpi_factor, 1);
  EXPECT_DOUBLE_EQ(row.thread_factor, 0.625);
  EXPECT_DOUBLE_EQ(row.parallel, 0.625);
}

TEST(Factors, KeepTheIdealTimeBetweenComputingAndTheRun) {
  EfficiencySummary row;
  fill_factors({1000, 400, {500}, 500, 1}, row);
  EXPECT_DOUBLE_EQ(row.serialisation, 1);
  EXPECT_DOUBLE_EQ(row.ideal_s, 500e-9);
  fill_factors({1000, 1400, {500}, 500, 1}, row);
  EXPECT_DOUBLE_EQ(row.transfer, 1);
}

TEST(Factors, OfNothingAreZeroWithoutBeingUndefined) {
  EfficiencySummary row;
  fill_factors({1000, 0, {0, 0}, 0, 2}, row);
  EXPECT_EQ(row.parallel, 0);
  EXPECT_EQ(row.load_balance, 1);
  EXPECT_EQ(row.transfer, 0);
}

TEST(Factors, TakeIpcAndFrequencyFromTheCountersOutsideMpi) {
  Summary summary;
  summary.counters = {{0, "PAPI_TOT_INS", "1", 7, 300},
                      {1, "PAPI_TOT_INS", "1", 7, 500},
                      {0, "PAPI_TOT_CYC", "1", 7, 200},
                      {1, "PAPI_TOT_CYC", "1", 7, 200},
                      {0, "perf::CYCLES", "1", 7, 999}};
  summary.region_counters = {{"solve", "PAPI_TOT_INS", "1", 90, 90, 60, 30}};
  EfficiencySummary run, region;
  run.scope = "run";
  run.compute_s = 2;
  add_counters(summary, run);
  EXPECT_EQ(run.instructions, 800U);
  EXPECT_DOUBLE_EQ(run.ipc, 2);
  EXPECT_DOUBLE_EQ(run.frequency_hz, 200);
  region.scope = "region";
  region.name = "solve";
  region.compute_s = 1;
  add_counters(summary, region);
  EXPECT_EQ(region.instructions, 60U);
  EXPECT_EQ(region.ipc, 0);
  EXPECT_EQ(region.frequency_hz, 0);
}

TEST(ThreadCounts, AreTheMostAtTheSameTimeWithoutThoseThatJoin) {
  ThreadCounts counts{2};
  counts.begin(0, 0);
  counts.begin(1, 0);
  counts.begin(0, 10);
  counts.end_at(0, 50);
  counts.join(0, 20, 50);
  counts.begin(0, 30);  // replaces the one that joins
  counts.end_at(0, 60);
  counts.begin(0, 60);
  EXPECT_EQ(counts.sum(), 2U + 1);
}

}  // namespace
}  // namespace meridian::test
