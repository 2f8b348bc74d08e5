// SPDX-License-Identifier: Apache-2.0
#include "summary/units.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace meridian {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(HumanJoules, HaveThreeDigitsAndASuitableUnit) {
  EXPECT_EQ(human_joules(0), "0 J");
  EXPECT_EQ(human_joules(0.0125), "12.5 mJ");
  EXPECT_EQ(human_joules(1.234), "1.23 J");
  EXPECT_EQ(human_joules(999.6), "1.00 kJ");
  EXPECT_EQ(human_joules(3.6e6), "3.60 MJ");
  EXPECT_EQ(human_joules(1e18), "> 999 TJ");
  EXPECT_EQ(human_joules(kNaN), "-");
  EXPECT_EQ(human_watts(35), "35.0 W");
  EXPECT_EQ(human_watts(-1500), "-1.50 kW");
}

TEST(HumanDuration, HasThreeDigitsAndASuitableUnit) {
  EXPECT_EQ(human_duration(0), "0 s");
  EXPECT_EQ(human_duration(1.8e-8), "18.0 ns");
  EXPECT_EQ(human_duration(1.234e-6), "1.23 us");
  EXPECT_EQ(human_duration(12.34e-6), "12.3 us");
  EXPECT_EQ(human_duration(123.4e-6), "123 us");
  EXPECT_EQ(human_duration(0.5), "500 ms");
  EXPECT_EQ(human_duration(59.96), "60.0 s");
  EXPECT_EQ(human_duration(3600), "3600 s");
  EXPECT_EQ(human_duration(360'000), "100 h");
}

TEST(HumanDuration, RoundsIntoTheNextUnit) {
  EXPECT_EQ(human_duration(999.6e-9), "1.00 us");
  EXPECT_EQ(human_duration(0.9999), "1.00 s");
  EXPECT_EQ(human_duration(9.996e-3), "10.0 ms");
}

TEST(HumanDuration, KeepsTheSign) { EXPECT_EQ(human_duration(-2.5e-6), "-2.50 us"); }

TEST(HumanDuration, HasAWordForInvalidOrHugeValues) {
  EXPECT_EQ(human_duration(kNaN), "-");
  EXPECT_EQ(human_duration(kInfinity), "-");
  EXPECT_EQ(human_duration(1e300), "> 1e5 h");
  EXPECT_EQ(human_duration(-1e300), "< -1e5 h");
  EXPECT_EQ(human_duration(1e-300), "0.00 ns");
}

TEST(HumanBytes, CountsInPowersOf1024) {
  EXPECT_EQ(human_bytes(std::uint64_t{0}), "0 B");
  EXPECT_EQ(human_bytes(std::uint64_t{999}), "999 B");
  EXPECT_EQ(human_bytes(std::uint64_t{1024}), "1.00 KiB");
  EXPECT_EQ(human_bytes(std::uint64_t{1536}), "1.50 KiB");
  EXPECT_EQ(human_bytes(std::uint64_t{1} << 20), "1.00 MiB");
  EXPECT_EQ(human_bytes(std::numeric_limits<std::uint64_t>::max()), "16.0 EiB");
}

TEST(HumanBytes, TakesFractionsForMeans) {
  EXPECT_EQ(human_bytes(5.83), "5.83 B");
  EXPECT_EQ(human_bytes(0.125), "0.125 B");
  EXPECT_EQ(human_bytes(kNaN), "-");
  EXPECT_EQ(human_bytes(-1.0), "-");
}

TEST(HumanCount, IsExactUpToSevenDigits) {
  EXPECT_EQ(human_count(9'999'999), "9999999");
  EXPECT_EQ(human_count(10'000'000), "10.0 M");
  EXPECT_EQ(human_count(123'456'789'012), "123 G");
  EXPECT_EQ(human_count(std::numeric_limits<std::uint64_t>::max()), "18.4 E");
}

TEST(HumanPercent, ShowsVerySmallShares) {
  EXPECT_EQ(human_percent(0), "0 %");
  EXPECT_EQ(human_percent(0.0001), "< 0.1 %");
  EXPECT_EQ(human_percent(0.1234), "12.3 %");
  EXPECT_EQ(human_percent(1), "100.0 %");
  EXPECT_EQ(human_percent(kInfinity), "-");
  EXPECT_EQ(human_percent(1e9), "> 9999 %");
}

TEST(HumanTime, IsUtc) {
  EXPECT_EQ(human_time(1'736'942'400'123'456'789), "2025-01-15 12:00:00 UTC");
  EXPECT_EQ(human_time(0), "-");
}

TEST(HumanTime, OfAClockThatNobodySetIsUnknown) {
  EXPECT_EQ(human_time(86'400'000'000'000), "-") << "a day after 1970 began: the time since a host was started";
  EXPECT_EQ(human_time(-1), "-");
}

}  // namespace
}  // namespace meridian
