// SPDX-License-Identifier: Apache-2.0
#include "merger/clocks/samples/clock_latency.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace meridian {
namespace {

constexpr std::int64_t kMs = 1'000'000;
constexpr std::int64_t kForth = 1000, kBack = 1500;
constexpr double kRate = 300e-6;  // of domain 1's clock against that of domain 0

/// A message each way every millisecond; every tenth one has the least delay.
ClockSamples talk(std::int64_t seconds, std::int64_t offset_ns) {
  ClockSamples samples{2};
  for (std::int64_t i = 0; i < seconds * 1000; ++i) {
    const std::int64_t late = i % 10 == 0 ? 0 : 5000 + 37 * (i % 7), at = i * kMs, half = at + kMs / 2;
    const auto other = [&](std::int64_t time) {
      return time + offset_ns + std::llround(kRate * static_cast<double>(time));
    };
    samples.add({at, other(at + kForth + late), 0, 1});
    samples.add({other(half), half + kBack + late, 1, 0});
  }
  samples.seal();
  return samples;
}

TEST(ClockCorridor, IsAsWideAsTheQuickestRoundTripWhateverTheClocksDo) {
  for (const std::int64_t offset : {0, -40'000, 900'000}) {
    const ClockSamples samples = talk(30, offset);
    // Both clocks' times are taken as equal, so an offset adds an error of offset times rate.
    const double wide = least_round_trip(samples.pairs().front());
    EXPECT_NEAR(wide, kForth + kBack, std::abs(static_cast<double>(offset)) * kRate + 2) << offset;
  }
}

TEST(ClockCorridor, IsUnknownWithoutMessagesBothWaysAtTheSameTime) {
  ClockSamples one_way{2}, in_turn{2};
  for (std::int64_t i = 0; i < 1000; ++i) one_way.add({i * kMs, i * kMs + kForth, 0, 1});
  for (std::int64_t i = 0; i < 10; ++i) {
    in_turn.add({2000 * i * kMs, 2000 * i * kMs + kForth, 0, 1});
    in_turn.add({(2000 * i + 1000) * kMs, (2000 * i + 1000) * kMs + kBack, 1, 0});
  }
  one_way.seal();
  in_turn.seal();
  EXPECT_TRUE(std::isinf(least_round_trip(one_way.pairs().front())));
  EXPECT_TRUE(std::isinf(least_round_trip(in_turn.pairs().front())));
}

TEST(ClockCorridor, TheLatencyIsThatOfTheQuickestPairsEvenWhereMostAreSlow) {
  constexpr std::uint32_t kDomains = 5;
  ClockSamples samples{kDomains};
  std::vector<double> halves;
  for (std::uint32_t low = 0; low < kDomains; ++low)
    for (std::uint32_t high = low + 1; high < kDomains; ++high) {
      samples.add({kMs, 2 * kMs, low, high});
      halves.push_back(low == 0 ? 1000 + 10 * high : 5e6);  // all pairs with the first domain are quick
    }
  samples.seal();
  EXPECT_EQ(usual_latency(samples, halves, 7), 1020);  // least of each: 1010, 1010, 1020, 1030, 1040
  EXPECT_EQ(usual_latency(samples, std::vector<double>(halves.size(), -1), 7), 7);
}

}  // namespace
}  // namespace meridian
