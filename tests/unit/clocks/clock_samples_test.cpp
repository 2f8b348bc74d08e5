// SPDX-License-Identifier: Apache-2.0
#include "merger/clocks/samples/clock_samples.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "tests/support/seed.hpp"

namespace meridian {
namespace {

TEST(ClockSamples, KeepTheSmallestDelayUnderAnyTwoLines) {
  std::mt19937_64 random{test::seeded(1)};
  ClockHull hull;
  std::vector<ClockPoint> all;
  for (int i = 0; i < 2000; ++i) {
    const ClockPoint point{static_cast<std::int64_t>(random() % 1'000'000'000),
                           1300 + static_cast<std::int64_t>(random() % 5000)};
    all.push_back(point);
    hull.add(point);
  }
  hull.seal();
  EXPECT_LE(hull.points().size(), 12u);
  for (const double slope : {-2e-6, -1e-7, 0.0, 1e-7, 2e-6}) {
    const auto least = [&](std::span<const ClockPoint> points) {
      double value = std::numeric_limits<double>::infinity();
      for (const ClockPoint& p : points)
        value = std::min(value, static_cast<double>(p.delay_ns) + slope * static_cast<double>(p.sent_ns));
      return value;
    };
    EXPECT_DOUBLE_EQ(least(hull.points()), least(all)) << slope;
  }
}

TEST(ClockSamples, WindowsGetLongerInsteadOfMany) {
  ClockSamples samples{2, 1000, 8};
  for (std::int64_t t = 0; t < 64'000; t += 100) samples.add({t, t + 10, 0, 1});
  samples.seal();
  EXPECT_EQ(samples.messages(), 640u);
  ASSERT_EQ(samples.pairs().size(), 1u);
  const ClockCells& side = samples.pairs()[0].sides[0];
  EXPECT_LE(side.size(), 8u);
  std::uint64_t messages = 0;
  for (const ClockCell& cell : side.cells()) messages += cell.messages;
  EXPECT_EQ(messages, 640u);
  EXPECT_EQ(samples.pairs()[0].sides[1].size(), 0u);
}

/// Cells and the smallest delay under some lines, for any order of the points.
TEST(ClockSamples, TheOrderInWhichMessagesComeDoesNotMatter) {
  std::mt19937_64 random{test::seeded(2)};
  std::vector<std::pair<std::uint32_t, ClockPoint>> all;
  for (int i = 0; i < 20'000; ++i) {
    const auto window = static_cast<std::uint32_t>(random() % 500);
    all.push_back({window / 3 * 3,
                   {static_cast<std::int64_t>(window) * 1000 + static_cast<std::int64_t>(random() % 1000),
                    1300 + static_cast<std::int64_t>(random() % 5000)}});
  }
  ClockCells by_time, by_chance, backwards;
  for (const auto& [window, point] : all) by_chance.add(window, point);
  std::ranges::stable_sort(all, {}, [](const auto& one) { return one.second.sent_ns; });
  for (const auto& [window, point] : all) by_time.add(window, point);
  for (auto one = all.rbegin(); one != all.rend(); ++one) backwards.add(one->first, one->second);
  for (ClockCells* cells : {&by_time, &by_chance, &backwards}) cells->seal();
  ASSERT_EQ(by_time.size(), 167u);
  for (const ClockCells* cells : {&by_chance, &backwards}) {
    ASSERT_EQ(cells->size(), by_time.size());
    for (std::size_t i = 0; i < by_time.size(); ++i) {
      const ClockCell &one = by_time.cells()[i], &other = cells->cells()[i];
      EXPECT_EQ(one.window, 3 * i);
      EXPECT_EQ(other.window, one.window);
      EXPECT_EQ(other.messages, one.messages);
      EXPECT_TRUE(std::ranges::equal(by_time.points(one), cells->points(other), [](const auto& a, const auto& b) {
        return a.sent_ns == b.sent_ns && a.delay_ns == b.delay_ns;
      })) << i;
    }
  }
}

/// The same windows, whatever comes first.
TEST(ClockSamples, NoSampleIsBeforeTheirOrigin) {
  constexpr std::int64_t kWindowNs = 1000;
  std::vector<DomainMessage> messages;
  for (std::int64_t t = 0; t < 100; ++t) messages.push_back({500'000 + 1000 * t, 500'010 + 1000 * t, 0, 1});
  const std::vector<DomainMessage> exchange{{100'000, 100'010, 0, 1}, {100'020, 100'005, 1, 0}};
  const std::vector<CollectiveSide> collective{{0, 550'000, 550'300}, {1, 550'100, 550'400}};
  const auto sealed = [&](bool has_exchange_first, bool is_reversed) {
    ClockSamples samples{2, kWindowNs};
    std::vector<DomainMessage> all = messages;
    all.insert(has_exchange_first ? all.begin() : all.end(), exchange.begin(), exchange.end());
    if (is_reversed) std::ranges::reverse(all);
    samples.add(all.front());
    samples.add_collective(collective);
    for (std::size_t i = 1; i < all.size(); ++i) samples.add(all[i]);
    samples.seal();
    return samples;
  };
  for (const bool has_exchange_first : {true, false})
    for (const bool is_reversed : {true, false}) {
      const ClockSamples samples = sealed(has_exchange_first, is_reversed);
      EXPECT_LE(samples.origin_ns(), samples.begin_ns());
      EXPECT_GE(samples.origin_ns(), samples.begin_ns() - kWindowNs);
      EXPECT_EQ(samples.collectives().size(), 1u);
      ASSERT_EQ(samples.pairs().size(), 1u);
      const ClockCells& side = samples.pairs()[0].sides[0];
      ASSERT_EQ(side.size(), 101u);
      for (const ClockCell& cell : side.cells())
        for (const ClockPoint& point : side.points(cell))
          EXPECT_EQ(cell.window, (point.sent_ns - samples.origin_ns()) / kWindowNs);
    }
}

TEST(ClockSamples, AStampFarBeforeTheOthersMakesWindowsLongerInsteadOfMany) {
  ClockSamples samples{2, 1000, 8};
  for (std::int64_t t = 0; t < 8000; t += 100) samples.add({t, t + 10, 0, 1});
  samples.add({-1'000'000, -999'990, 0, 1});
  samples.add({std::numeric_limits<std::int64_t>::min() + 1, std::numeric_limits<std::int64_t>::min() + 2, 0, 1});
  samples.seal();
  EXPECT_EQ(samples.messages(), 82u);
  EXPECT_LE(samples.pairs()[0].sides[0].size(), 8u);
}

TEST(ClockSamples, ManyPairsHaveLongerWindows) {
  constexpr std::uint32_t kDomains = 40;
  constexpr std::uint64_t kMostCells = 10'000;
  ClockSamples samples{kDomains, 1000, 1 << 16, kMostCells};
  std::uint64_t count = 0;
  for (std::int64_t t = 0; t < 400'000; t += 1000)
    for (std::uint32_t a = 0; a < kDomains; ++a, ++count)
      samples.add({t + a, t + a + 10, a, (a + 1 + a % 3) % kDomains});
  samples.seal();
  EXPECT_GT(samples.window_ns(), 1000);
  std::uint64_t cells = 0, messages = 0;
  for (const PairSamples& pair : samples.pairs())
    for (const ClockCells& side : pair.sides) {
      cells += side.size();
      for (const ClockCell& cell : side.cells()) messages += cell.messages;
    }
  EXPECT_LE(cells, kMostCells * 9 / 8);
  EXPECT_GE(cells, kMostCells / 4);
  EXPECT_EQ(messages, count);
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
