#include "merger/clocks/clock_samples.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

namespace meridian {
namespace {

TEST(ClockSamples, KeepTheSmallestDelayUnderAnyTwoLines) {
  std::mt19937_64 random{1};
  ClockCell cell;
  std::vector<ClockPoint> all;
  for (int i = 0; i < 2000; ++i) {
    const ClockPoint point{static_cast<std::int64_t>(random() % 1'000'000'000),
                           1300 + static_cast<std::int64_t>(random() % 5000)};
    all.push_back(point);
    cell.add(point);
  }
  cell.seal();
  EXPECT_EQ(cell.messages(), 2000u);
  EXPECT_LE(cell.points().size(), 12u);
  for (const double slope : {-2e-6, -1e-7, 0.0, 1e-7, 2e-6}) {
    const auto least = [&](std::span<const ClockPoint> points) {
      double value = std::numeric_limits<double>::infinity();
      for (const ClockPoint& p : points)
        value = std::min(value, static_cast<double>(p.delay_ns) + slope * static_cast<double>(p.sent_ns));
      return value;
    };
    EXPECT_DOUBLE_EQ(least(cell.points()), least(all)) << slope;
  }
}

TEST(ClockSamples, WindowsGetLongerInsteadOfMany) {
  ClockSamples samples{2, 1000, 8};
  for (std::int64_t t = 0; t < 64'000; t += 100) samples.add({t, t + 10, 0, 1});
  samples.seal();
  EXPECT_EQ(samples.messages(), 640u);
  ASSERT_EQ(samples.pairs().size(), 1u);
  EXPECT_LE(samples.pairs()[0].cells[0].size(), 8u);
  std::uint64_t messages = 0;
  for (const ClockCell& cell : samples.pairs()[0].cells[0]) messages += cell.messages();
  EXPECT_EQ(messages, 640u);
  EXPECT_TRUE(samples.pairs()[0].cells[1].empty());
}

TEST(ClockSamples, OfManyCollectivesTheTightestOfAWindowStay) {
  ClockSamples samples{2, 1'000'000};
  for (std::int64_t i = 0; i < 100; ++i) {
    const std::vector<CollectiveSide> sides{{0, 1000 * i, 1000 * i + 500 - i}, {1, 1000 * i, 1000 * i + 900}};
    samples.add_collective(sides);
  }
  samples.seal();
  ASSERT_EQ(samples.collectives().size(), 4u);
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_EQ(samples.collectives()[i][0].last_enter_ns, 1000 * (99 - static_cast<std::int64_t>(i)));
}

}  // namespace
}  // namespace meridian
