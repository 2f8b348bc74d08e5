// SPDX-License-Identifier: Apache-2.0
// Recording that was switched off and on (MERIDIAN_WINDOW, MPI_Pcontrol): shares and efficiencies are of the time in which it was on.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysed.hpp"
#include "summary/measures.hpp"
#include "summary/recorded_part.hpp"

namespace meridian::test {
namespace {

class RecordedTime : public testing::Test {
 protected:
  void switch_to(std::size_t rank, const char* state, std::uint64_t ticks) {
    run[rank].meta.texts.push_back({"recording", state, 0, ticks});
  }
  /// Rank 0 computes for 100 ns and waits for 800, rank 1 computes for 900; both are then in the barrier for 100.
  void iterate(std::uint64_t begin) {
    run[0]->collective(CallId::Barrier, {begin + 100, begin + 1000});
    run[1]->collective(CallId::Barrier, {begin + 900, begin + 1000});
  }
  SyntheticRun run{2};
};

TEST_F(RecordedTime, BeforeAndAfterIsInNoShare) {
  for (std::size_t i = 0; i < 2; ++i) {
    run[i]->call(CallId::Init, {10, 110});
    switch_to(i, "off", 110);
    switch_to(i, "on", 1110);
  }
  iterate(1110);
  for (std::size_t i = 0; i < 2; ++i) switch_to(i, "off", 2110);  // MPI_Finalize is no event then
  const Summary summary = analysed(run);
  for (const RankSummary& rank : summary.ranks) {
    EXPECT_EQ(ns(rank.unrecorded_s), 1000);
    EXPECT_EQ(ns(rank.recorded_to_s - rank.recorded_from_s), 1000);
  }
  const Load load = measure_load(summary);
  EXPECT_DOUBLE_EQ(load.mpi_share, 0.5);
  EXPECT_EQ(ns(load.ranks[0].outside_s), 100);
  EXPECT_EQ(ns(load.ranks[1].outside_s), 900);
  const EfficiencySummary& all = summary.efficiencies.at(0);
  EXPECT_EQ(ns(all.time_s), 1000);
  EXPECT_DOUBLE_EQ(all.load_balance, 500.0 / 900);
  EXPECT_EQ(measured_time(summary), " while recording was on");
  EXPECT_EQ(analysed_time(summary), " while recording was on");
  ASSERT_FALSE(summary.problems.empty());
  EXPECT_DOUBLE_EQ(summary.problems[0].share, 800.0 / 2000);
}

TEST_F(RecordedTime, BetweenPiecesIsInNoShareOfTheLoad) {
  for (std::size_t i = 0; i < 2; ++i) run[i]->call(CallId::Init, {10, 110});
  iterate(110);
  for (std::size_t i = 0; i < 2; ++i) {
    switch_to(i, "off", 1110);
    switch_to(i, "on", 5110);
  }
  iterate(5110);
  const Summary summary = analysed(run);
  for (const RankSummary& rank : summary.ranks) {
    EXPECT_EQ(ns(rank.unrecorded_s), 4000);
    EXPECT_EQ(rank.recorded_from_s, -1);
    EXPECT_EQ(rank.recorded_to_s, -1);
  }
  const Load load = measure_load(summary);
  EXPECT_DOUBLE_EQ(load.mpi_share, 0.5);
  EXPECT_EQ(ns(load.ranks[1].outside_s), 1800);
  EXPECT_EQ(ns(summary.efficiencies.at(0).time_s), 6000);  // which says so
  EXPECT_EQ(measured_time(summary), " while recording was on");
  EXPECT_EQ(analysed_time(summary), " between MPI_Init and MPI_Finalize, also while recording was off");
}

TEST_F(RecordedTime, OfAllIsWhatItWas) {
  for (std::size_t i = 0; i < 2; ++i) run[i]->call(CallId::Init, {10, 110});
  switch_to(0, "on", 10);
  iterate(110);
  const Summary summary = analysed(run);
  for (const RankSummary& rank : summary.ranks) {
    EXPECT_EQ(rank.unrecorded_s, 0);
    EXPECT_EQ(rank.recorded_from_s, -1);
  }
  EXPECT_EQ(measured_time(summary), " between MPI_Init and MPI_Finalize");
  EXPECT_DOUBLE_EQ(measure_load(summary).mpi_share, 0.5);
}

}  // namespace
}  // namespace meridian::test
