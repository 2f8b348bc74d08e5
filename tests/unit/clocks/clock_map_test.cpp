// The integer map, against exact fractions.

#include "merger/clock_map.hpp"

#include <gtest/gtest.h>

#include <cstdint>

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

}  // namespace
}  // namespace meridian
