// SPDX-License-Identifier: Apache-2.0
// The order of messages between threads that use a channel at the same time.

#include "merger/match/messages/race_search.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <tuple>

#include "tests/support/seed.hpp"

namespace meridian {
namespace {

using ::testing::ElementsAre;

RacingSend sent(std::uint32_t thread, std::uint64_t enter, std::uint64_t leave, std::uint64_t bytes = 8) {
  return {{thread, enter, leave}, static_cast<std::int64_t>(enter), bytes};
}
RacingReceive received(std::uint32_t thread, std::uint64_t enter, std::uint64_t leave, std::int64_t bytes = 8) {
  return {{thread, enter, leave}, static_cast<std::int64_t>(leave), bytes, false, false};
}

TEST(RaceSearch, PairsInTheOrderOfTheCallsIfNothingSpeaksAgainstIt) {
  const std::vector sends{sent(0, 0, 5), sent(0, 10, 15)};
  const std::vector receives{received(0, 0, 20), received(0, 30, 40)};
  const RaceOrder order = find_race_order(sends, receives, 2, true);
  EXPECT_THAT(order.sends, ElementsAre(0, 1));
  EXPECT_THAT(order.receives, ElementsAre(0, 1));
  EXPECT_TRUE(order.is_possible);
}

TEST(RaceSearch, AReceiveGetsAMessageOfItsSize) {
  const std::vector sends{sent(0, 0, 50, 64), sent(1, 1, 50, 8)};
  const std::vector receives{received(0, 0, 60, 8), received(0, 60, 70, 64)};
  EXPECT_THAT(find_race_order(sends, receives, 2, true).sends, ElementsAre(1, 0));
}

TEST(RaceSearch, NoReceiveGetsAMessageThatWasSentAfterItsEnd) {
  const std::vector sends{sent(0, 0, 5), sent(0, 50, 55)};
  const std::vector receives{received(0, 0, 100), received(1, 1, 40)};
  EXPECT_THAT(find_race_order(sends, receives, 2, true).receives, ElementsAre(1, 0));
}

TEST(RaceSearch, TimesOfTwoClocksOnlyCountIfAnOrderKeepsThem) {
  const std::vector sends{sent(0, 70, 75), sent(0, 80, 85)};
  const std::vector receives{received(0, 0, 20), received(0, 30, 40)};
  EXPECT_FALSE(find_race_order(sends, receives, 2, true).is_possible);
  EXPECT_TRUE(find_race_order(sends, receives, 2, false).is_possible);
}

TEST(RaceSearch, TheOrderOfTwoThreadsGivesWayToSizes) {  // to MPI they are concurrent
  const std::vector sends{sent(0, 0, 5, 64), sent(1, 10, 15, 8)};
  const std::vector receives{received(0, 20, 30, 8), received(0, 40, 50, 64)};
  const RaceOrder order = find_race_order(sends, receives, 2, true);
  EXPECT_THAT(order.sends, ElementsAre(1, 0));
  EXPECT_TRUE(order.is_possible);
}

TEST(RaceSearch, TheOrderOfOneThreadNeverGivesWay) {
  const std::vector sends{sent(0, 0, 5, 64), sent(0, 10, 15, 8)};
  const std::vector receives{received(0, 20, 30, 8), received(0, 40, 50, 64)};
  const RaceOrder order = find_race_order(sends, receives, 2, true);
  EXPECT_THAT(order.sends, ElementsAre(0, 1));
  EXPECT_THAT(order.receives, ElementsAre(0, 1));
  EXPECT_FALSE(order.is_possible);
}

TEST(RaceSearch, OnlyAReceiveThatFailedIsTooShortForItsMessage) {
  const std::vector sends{sent(0, 0, 50, 64), sent(1, 1, 50, 8)};
  std::vector receives{received(0, 0, 60, 8), received(1, 0, 60, 8)};
  EXPECT_FALSE(find_race_order(sends, receives, 2, true).is_possible);
  receives[0].has_failed = true;
  const RaceOrder order = find_race_order(sends, receives, 2, true);
  EXPECT_TRUE(order.is_possible);
  EXPECT_EQ(order.receives[order.sends[0] == 0 ? 0 : 1], 0U) << "the longer message";
}

TEST(RaceSearch, CallsBehindThoseThatAreSettledMayComeFirst) {
  const std::vector sends{sent(0, 0, 50, 64), sent(1, 1, 50, 8)};
  const std::vector receives{received(0, 0, 60, 8), received(0, 60, 70, 64)};
  const RaceOrder order = find_race_order(sends, receives, 1, true);
  EXPECT_THAT(order.sends, ElementsAre(1));
  EXPECT_THAT(order.receives, ElementsAre(0));
}

/// Threads that send and receive, on an MPI of the test's own: every call takes effect at one instant between its ends.
class Race {
 public:
  std::vector<RacingSend> sends;
  std::vector<RacingReceive> receives;

  Race(std::uint64_t seed, std::uint32_t senders, std::uint32_t receivers, std::size_t messages, std::uint64_t sizes)
      : random_{test::seeded(seed)} {
    std::vector<std::pair<std::uint64_t, RacingSend>> sent;  // by instant
    for (std::uint32_t thread = 0; thread < senders; ++thread)
      for (std::uint64_t now = 0, i = 0; i < messages / senders; ++i) {
        const std::uint64_t enter = now + below(20), instant = enter + below(90);
        now = instant + 1 + below(20);
        sent.push_back({instant, {{thread, enter, now}, static_cast<std::int64_t>(enter), below(sizes)}});
      }
    std::ranges::stable_sort(sent, {}, [](const auto& send) { return send.first; });
    std::vector<std::tuple<std::uint64_t, std::uint32_t, std::uint64_t>> posts;  // instant, thread, enter
    for (std::uint32_t thread = 0; thread < receivers; ++thread) posts.push_back(post(thread, 0));
    for (const auto& [instant, send] : sent) {
      const auto next = std::ranges::min_element(posts);
      const auto [posted, thread, enter] = *next;
      const std::uint64_t leave = std::max(posted, instant) + 1 + below(40);
      receives.push_back({{thread, enter, leave},
                          static_cast<std::int64_t>(leave),
                          static_cast<std::int64_t>(send.bytes),
                          false,
                          false});
      *next = post(thread, leave);
      sends.push_back(send);
    }
    const auto by_enter = [](const auto& call) { return call.span.enter_ticks; };
    std::ranges::stable_sort(sends, {}, by_enter);
    std::ranges::stable_sort(receives, {}, by_enter);
  }

 private:
  std::uint64_t below(std::uint64_t bound) { return random_() % bound; }
  std::tuple<std::uint64_t, std::uint32_t, std::uint64_t> post(std::uint32_t thread, std::uint64_t now) {
    const std::uint64_t enter = now + below(10);
    return {enter + below(60), thread, enter};
  }
  std::mt19937_64 random_;
};

/// Whether `first` certainly began before `other`.
bool precedes(const CallSpan& first, const CallSpan& other) {
  return first.thread == other.thread ? first.enter_ticks < other.enter_ticks : first.leave_ticks <= other.enter_ticks;
}

void expect_possible(const Race& race, const RaceOrder& order, std::uint64_t seed) {
  ASSERT_TRUE(order.is_possible) << "seed " << seed;
  std::vector<std::uint32_t> all(race.sends.size());
  for (std::uint32_t i = 0; i < all.size(); ++i) all[i] = i;
  ASSERT_THAT(order.sends, ::testing::UnorderedElementsAreArray(all));
  ASSERT_THAT(order.receives, ::testing::UnorderedElementsAreArray(all));
  for (std::size_t k = 0; k < order.sends.size(); ++k) {
    const RacingSend& send = race.sends[order.sends[k]];
    const RacingReceive& receive = race.receives[order.receives[k]];
    ASSERT_EQ(static_cast<std::int64_t>(send.bytes), receive.bytes) << "seed " << seed << " message " << k;
    ASSERT_LT(send.enter_ns, receive.leave_ns) << "seed " << seed << " message " << k;
    for (std::size_t later = k + 1; later < order.sends.size(); ++later) {
      ASSERT_FALSE(precedes(race.sends[order.sends[later]].span, send.span)) << "seed " << seed;
      ASSERT_FALSE(precedes(race.receives[order.receives[later]].span, receive.span)) << "seed " << seed;
    }
  }
}

TEST(RaceSearch, FindsAnOrderOfRandomRacesWhateverTheSizes) {
  for (const std::uint64_t sizes : {1u, 2u, 8u, 1000u})
    for (std::uint64_t seed = 1; seed <= test::cases(25); ++seed) {
      const auto threads = static_cast<std::uint32_t>(2 + seed % 5);
      const Race race{seed, threads, 1 + static_cast<std::uint32_t>(seed % 4), 240, sizes};
      expect_possible(race, find_race_order(race.sends, race.receives, race.sends.size(), true), seed);
    }
}

}  // namespace
}  // namespace meridian
