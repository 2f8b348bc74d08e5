// SPDX-License-Identifier: Apache-2.0
#include "merger/statistics/region_counters.hpp"

#include <gtest/gtest.h>

namespace meridian::test {
namespace {

using Values = std::vector<std::int64_t>;
constexpr std::size_t kOuter = 0, kInner = 1, kNever = 2;

TEST(RegionCounters, SeparateNestedRegionsAndMpi) {
  RegionCounters regions{3, 2};
  regions.add(0, 1000, false);
  regions.begin(kOuter);
  regions.add(0, 10, false);
  regions.begin(kInner);
  regions.add(0, 7, true);
  regions.add(1, -3, false);
  regions.end(kInner);
  regions.add(0, 100, false);
  regions.end(kOuter);
  regions.add(0, 5000, false);
  EXPECT_EQ(regions.sums()[kOuter].total, (Values{117, -3}));
  EXPECT_EQ(regions.sums()[kOuter].exclusive, (Values{110, 0}));
  EXPECT_EQ(regions.sums()[kOuter].mpi, (Values{7, 0}));
  EXPECT_EQ(regions.sums()[kInner].total, (Values{7, -3}));
  EXPECT_EQ(regions.sums()[kInner].exclusive, (Values{7, -3}));
  EXPECT_TRUE(regions.sums()[kNever].total.empty());
}

TEST(RegionCounters, CountARecursiveRegionOnce) {
  RegionCounters regions{1, 1};
  regions.begin(kOuter);
  regions.add(0, 1, false);
  regions.begin(kOuter);
  regions.add(0, 20, true);
  regions.end(kOuter);
  regions.end(kOuter);
  EXPECT_EQ(regions.sums()[kOuter].total, Values{21});
  EXPECT_EQ(regions.sums()[kOuter].exclusive, Values{21});
  EXPECT_EQ(regions.sums()[kOuter].mpi, Values{20});
}

TEST(RegionCounters, EndWithTheRegionAroundThemOrTheirThread) {
  RegionCounters regions{2, 1};
  regions.end(kInner);  // never began
  regions.begin(kOuter);
  regions.begin(kInner);
  regions.add(0, 3, false);
  regions.end(kOuter);  // left by a jump, and so is the inner one
  regions.begin(kInner);
  regions.add(0, 40, false);
  regions.end_thread();
  regions.add(0, 500, false);
  regions.end(kInner);  // of the next thread
  EXPECT_EQ(regions.sums()[kOuter].total, Values{3});
  EXPECT_EQ(regions.sums()[kInner].total, Values{43});
}

}  // namespace
}  // namespace meridian::test
