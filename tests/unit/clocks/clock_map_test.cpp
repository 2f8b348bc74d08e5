// SPDX-License-Identifier: Apache-2.0
// The integer map compared with exact fractions.

#include "merger/model/clock_map.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include <cstdint>
#include "tests/support/seed.hpp"

namespace meridian {
namespace {

// floor(1000 + (ticks - 2^63 + 12345) * 1734822660774459 / 2^52), computed with rational numbers; 2.596 GHz.
TEST(ClockMap, IsExactForCountersNearTwoToTheSixtyThird) {
  const ClockMap map{(1ULL << 63) - 12345, 1000, 1734822660774459};
  EXPECT_EQ(map.to_global(9223372036854763463U), 1000);
  EXPECT_EQ(map.to_global(9223372036854763464U), 1000);
  EXPECT_EQ(map.to_global(9223372036854763462U), 999);
  EXPECT_EQ(map.to_global(9232379236109504456U), 3469645321549918);   // 2^53 + 1 ticks later
  EXPECT_EQ(map.to_global(9214364837600022468U), -3469645321547920);  // 2^53 + 3 ticks earlier
  EXPECT_EQ(map.to_global(13835058055282151374U), 1776458404633047018);
}

TEST(ClockMap, LosesNoTickOfANanosecondClock) {
  const std::uint64_t base = (1ULL << 63) - 3;
  const ClockMap map{base, -5, 1ULL << kTickScaleBits};
  for (const std::uint64_t far : {0ULL, 1ULL << 31, (1ULL << 53) + 1, (1ULL << 62) + 1})
    for (std::uint64_t i = 0; i < 100; ++i) {
      EXPECT_EQ(map.to_global(base + far + i), static_cast<std::int64_t>(far + i) - 5);
      EXPECT_EQ(map.to_global(base - far - i), -static_cast<std::int64_t>(far + i) - 5);
    }
}

TEST(ClockMap, NeverDecreases) {
  const ClockMap map{1'000'000, 0, 1734822660774459};
  std::int64_t previous = map.to_global(0);
  for (std::uint64_t ticks = 1; ticks < 2'000'000; ++ticks) {
    const std::int64_t now = map.to_global(ticks);
    ASSERT_TRUE(now == previous || now == previous + 1) << ticks;  // a tick is less than a nanosecond
    previous = now;
  }
}

TEST(ClockMap, MovesItsZeroWithoutRounding) {
  const ClockMap map{77, 123, 1734822660774459};
  for (std::uint64_t ticks = 0; ticks < 1000; ++ticks)
    EXPECT_EQ(map.with_zero_at(-1'000'000'000'007).to_global(ticks), map.to_global(ticks) + 1'000'000'000'007);
}

TEST(ClockMap, GoesThroughItsPointsAndOnBeyondThem) {
  const ClockMap map = ClockMap::through({{1000, 5000}, {2000, 6000}, {3000, 8000}}, {});
  EXPECT_EQ(map.to_global(1000), 5000);
  EXPECT_EQ(map.to_global(1500), 5500);
  EXPECT_EQ(map.to_global(2000), 6000);
  EXPECT_EQ(map.to_global(2500), 7000);
  EXPECT_EQ(map.to_global(4000), 10'000);
  EXPECT_EQ(map.to_global(0), 4000);
  EXPECT_EQ(map.with_zero_at(1000).to_global(2500), 6000);
}

TEST(ClockMap, NeverDecreasesWhateverItsPoints) {
  std::mt19937_64 random{test::seeded(7)};
  std::vector<ClockMap::Point> points;
  std::uint64_t ticks = UINT64_MAX - 500'000;  // the counter passes its end
  std::int64_t ns = -100;
  for (int i = 0; i < 50; ++i) {
    points.push_back({ticks, ns});
    ticks += random() % 50'000;
    ns += static_cast<std::int64_t>(random() % 30'000) - 3000;
  }
  const ClockMap map = ClockMap::through(points, {});
  std::int64_t before = map.to_global(points.front().ticks - 1000);
  for (std::uint64_t t = 0; t < 2'000'000; t += 37) {
    const std::int64_t now = map.to_global(points.front().ticks - 1000 + t);
    ASSERT_GE(now, before) << t;
    before = now;
  }
}

TEST(ClockMap, FindsTheFirstTickOfATime) {
  const ClockMap map{1'000'000, 50, (1ULL << kTickScaleBits) / 3};
  for (const std::int64_t ns : {-1000, 0, 50, 51, 1'000'000}) {
    EXPECT_GE(map.to_global(map.to_ticks(ns)), ns);
    EXPECT_LT(map.to_global(map.to_ticks(ns) - 1), ns);
  }
}

}  // namespace
}  // namespace meridian
