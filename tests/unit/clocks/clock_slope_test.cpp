// SPDX-License-Identifier: Apache-2.0
// How far a fitted rate may be wrong, where the tightest possible answer is known.

#include "merger/clocks/bounds/clock_slope.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "durations.hpp"

namespace meridian {
namespace {

/// Messages between domains whose clocks are correct.
struct Messages {
  explicit Messages(std::size_t domains) : samples{domains} {}
  void send(std::uint32_t from, std::uint32_t to, std::int64_t time_ns, std::int64_t delay_ns) {
    samples.add({time_ns, time_ns + delay_ns, from, to});
  }
  void exchange(std::uint32_t a, std::uint32_t b, std::int64_t time_ns, std::int64_t delay_ns) {
    send(a, b, time_ns, delay_ns);
    send(b, a, time_ns, delay_ns);
  }
  /// corrections  of the domains, ns
  std::vector<double> doubts(std::vector<double> corrections = {}) {
    samples.seal();
    const std::size_t domains = samples.domains();
    corrections.resize(domains);
    ClockCorrection correction{
        0, 100.0 * kSecond, domains, 2, std::vector<double>(2 * domains), std::vector<std::vector<ClockStep>>(domains)};
    for (std::size_t h = 0; h < domains; ++h) correction.knot(h, 0) = correction.knot(h, 1) = corrections[h];
    return slope_doubts(samples, correction, 0);
  }
  ClockSamples samples;
};

TEST(ClockSlope, HasAnUncertaintyOfTheSlackAtBothEndsOverTheTimeBetween) {
  Messages messages{2};
  messages.exchange(0, 1, kSecond, 1000);
  messages.exchange(0, 1, 11 * kSecond, 3000);
  const std::vector<double> doubts = messages.doubts();
  EXPECT_EQ(doubts[0], 0);
  EXPECT_NEAR(doubts[1], 4000.0 / (10 * kSecond), 1e-12);
}

TEST(ClockSlope, IsDeterminedByTheMessagesWithTheLeastSlack) {
  Messages messages{2};
  for (int i = 0; i <= 1000; ++i)
    messages.exchange(0, 1, kSecond + i * kSecond / 100, i == 10 || i == 990 ? 500 : 50'000);
  EXPECT_NEAR(messages.doubts()[1], 1000.0 / (9.8 * kSecond), 1e-9);
}

TEST(ClockSlope, ExchangesCloseTogetherDetermineItPoorly) {
  Messages messages{2};
  messages.exchange(0, 1, kSecond, 1000);
  messages.exchange(0, 1, kSecond + 1'000'000, 1000);
  EXPECT_NEAR(messages.doubts()[1], 0.002, 1e-6);
}

TEST(ClockSlope, MessagesOneWayDoNotDetermineIt) {
  Messages messages{2};
  messages.send(0, 1, kSecond, 1000);
  messages.send(0, 1, 11 * kSecond, 1000);
  EXPECT_TRUE(std::isinf(messages.doubts()[1]));
}

TEST(ClockSlope, UncertaintiesAddUpAlongThePathToTheReference) {
  Messages messages{4};
  for (const std::int64_t time_ns : {kSecond, 11 * kSecond}) {
    messages.exchange(0, 1, time_ns, 1000);
    messages.exchange(1, 2, time_ns, 2000);
  }
  const std::vector<double> doubts = messages.doubts();
  EXPECT_NEAR(doubts[1], 2000.0 / (10 * kSecond), 1e-12);
  EXPECT_NEAR(doubts[2], 6000.0 / (10 * kSecond), 1e-12);
  EXPECT_TRUE(std::isinf(doubts[3]));
}

/// A spawned program, whose first lines follow realtime clocks: the messages of both directions have times that are far apart.
TEST(ClockSlope, HasTheSameUncertaintyWhereFirstLinesAreApart) {
  constexpr std::int64_t kBehindNs = 300'000'000;
  const auto doubt = [](std::int64_t behind_ns) {
    Messages messages{2};
    for (int i = 0; i <= 100; ++i) {
      const std::int64_t time_ns = kSecond + i * kSecond / 300, slack_ns = 40'000;
      messages.samples.add({time_ns, time_ns + slack_ns - behind_ns, 0, 1});
      messages.samples.add({time_ns - behind_ns, time_ns - behind_ns + slack_ns + behind_ns, 1, 0});
    }
    return messages.doubts({0, static_cast<double>(behind_ns)})[1];
  };
  EXPECT_NEAR(doubt(kBehindNs), doubt(0), 1e-12);
  EXPECT_GT(doubt(kBehindNs), 80'000.0 * 3 / static_cast<double>(kSecond) * .99);
}

/// The same with collectives.
TEST(ClockSlope, HasTheSameUncertaintyWhereTheFirstLinesOfCollectivesAreApart) {
  const auto doubt = [](std::int64_t behind_ns) {
    Messages messages{2};
    for (int i = 0; i <= 100; ++i) {
      const std::int64_t time_ns = kSecond + i * kSecond / 300;
      const CollectiveSide sides[] = {{0, time_ns, time_ns + 40'000},
                                      {1, time_ns - behind_ns, time_ns + 40'000 - behind_ns}};
      messages.samples.add_collective(sides);
    }
    return messages.doubts({0, static_cast<double>(behind_ns)})[1];
  };
  EXPECT_NEAR(doubt(300'000'000) * (kSecond / 3.), doubt(0) * (kSecond / 3.), 1);
}

TEST(ClockSlope, CollectivesDetermineItWithoutMessages) {
  Messages messages{2};
  for (const std::int64_t time_ns : {kSecond, 11 * kSecond}) {
    const CollectiveSide sides[] = {{0, time_ns, time_ns + 5000}, {1, time_ns, time_ns + 5000}};
    messages.samples.add_collective(sides);
  }
  EXPECT_NEAR(messages.doubts()[1], 10'000.0 / (10 * kSecond), 1e-12);
}

}  // namespace
}  // namespace meridian
