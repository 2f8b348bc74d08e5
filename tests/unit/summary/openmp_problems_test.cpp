// SPDX-License-Identifier: Apache-2.0
// Threads of an OpenMP team that wait for each other, and the ranks that wait for theirs.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/summary/problem_samples.hpp"

namespace meridian {
namespace {

using samples::add_wait;
using samples::even_ranks;
using samples::found;
using testing::ElementsAre;
using testing::HasSubstr;

/// Threads of rank 1 lose this much in one region. The other ranks have a region in which nothing is lost.
Summary uneven_team(double lost_s) {
  Summary summary = even_ranks(4);
  for (std::int32_t rank = 0; rank < 4; ++rank) {
    OpenmpRegionSummary& region = summary.openmp_regions.emplace_back();
    region.rank = rank;
    region.function = "solve";
    region.place = "solver.c:20";
    region.regions = 10;
    region.shares = 20;
    region.time_s = 5;
    region.share_s = 8;
    region.slowest = 1;
    region.slowest_s = 5;
    if (rank != 1) continue;
    region.barrier_s = 2 * lost_s;
    region.lost_s = lost_s;
  }
  return summary;
}

TEST(OpenmpProblems, AnUnevenTeamIsOneEvenIfNoRankWaitsForIt) {
  EXPECT_THAT(found(uneven_team(2)), ElementsAre("OpenMP imbalance 0.05 of rank 1"));
}

TEST(OpenmpProblems, RanksThatWaitForItAsLongAsItLosesArePartOfIt) {
  Summary summary = uneven_team(2);
  for (const std::int32_t rank : {0, 2, 3}) add_wait(summary, "wait at barrier", rank, 1, 2);
  EXPECT_THAT(found(summary), ElementsAre("OpenMP imbalance 0.20 of rank 1"));
  EXPECT_THAT(find_problems(summary).front().text, HasSubstr("Therefore other ranks wait 6.00 s for rank 1."));
}

TEST(OpenmpProblems, OfWaitsThatAreLongerThePartThatItExplainsIsCharged) {
  Summary summary = uneven_team(2);
  for (const std::int32_t rank : {0, 2, 3}) add_wait(summary, "wait at barrier", rank, 1, 3);
  EXPECT_THAT(found(summary), ElementsAre("OpenMP imbalance 0.20 of rank 1", "wait at barrier 0.07 of rank 1"));
  EXPECT_THAT(find_problems(summary).back().text, HasSubstr("6.00 s of that is part of the OpenMP imbalance."));
}

TEST(OpenmpProblems, WaitsOfWhichItExplainsLittleAreNotItsOwn) {
  Summary summary = uneven_team(1);
  for (const std::int32_t rank : {0, 2, 3}) add_wait(summary, "wait at barrier", rank, 1, 3);
  EXPECT_THAT(found(summary), ElementsAre("wait at barrier 0.23 of rank 1", "OpenMP imbalance 0.03 of rank 1"));
}

TEST(OpenmpProblems, OnlyTheRestOfTheWaitsIsChargedToInputAndOutput) {
  Summary summary = uneven_team(1);
  for (const std::int32_t rank : {0, 2, 3}) add_wait(summary, "wait at barrier", rank, 1, 2);
  DelaySummary& delay = summary.delays.emplace_back();
  delay.rank = 1;
  delay.what = "call";
  delay.function = "MPI_File_write";
  delay.short_term_s = 6;
  FunctionSummary& write = summary.functions.emplace_back();
  write.name = delay.function;
  write.group = "io";
  write.count = 1;
  write.total_s = write.mean_s = 2;
  EXPECT_THAT(found(summary), ElementsAre("input and output 0.12 of rank 1", "OpenMP imbalance 0.10 of rank 1"));
}

TEST(OpenmpProblems, AllWaitsTogetherAreChargedAtMostWhatItLoses) {
  Summary summary = uneven_team(2);
  for (const std::int32_t rank : {0, 2, 3}) {
    add_wait(summary, "wait at barrier", rank, 1, 2);
    add_wait(summary, "wait at N x N", rank, 1, 2, "MPI_Allreduce", "MPI_Allreduce");
  }
  EXPECT_THAT(found(summary), ElementsAre("OpenMP imbalance 0.20 of rank 1", "wait at barrier 0.15 of rank 1"));
}

}  // namespace
}  // namespace meridian
