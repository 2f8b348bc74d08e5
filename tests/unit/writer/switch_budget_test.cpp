// SPDX-License-Identifier: Apache-2.0
// Which threads the kernel watches, and when.

#include "writer/samples/switch_budget.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>

namespace meridian {
namespace {

constexpr std::uint64_t kMs = 1'000'000, kSecond = 1000 * kMs, kStart = 5000 * kSecond;

TEST(SwitchBudget, WatchesAThreadForGoodThatIsSwitchedSeldom) {
  SwitchBudget budget;
  for (std::uint64_t now = kStart; now < kStart + 30 * kSecond; now += 100 * kMs)
    ASSERT_TRUE(budget.spend(SwitchBudget::kMost / 20, now));
}

TEST(SwitchBudget, LetsAThreadRestUntilTheNextMomentThatItNames) {
  SwitchBudget budget;
  ASSERT_TRUE(budget.spend(1'000'000, kStart)) << "before anything is known";
  ASSERT_FALSE(budget.spend(SwitchBudget::kMost + 1, kStart + kMs));
  const std::uint64_t next = budget.next_ns();
  EXPECT_GT(next, kStart);
  EXPECT_LT(next, kStart + 2 * kSecond);
  EXPECT_FALSE(budget.spend(0, next - 1));
  EXPECT_TRUE(budget.spend(100'000, next)) << "switches of the rest cost nothing";
  EXPECT_TRUE(budget.spend(SwitchBudget::kMost, next + kMs));
  EXPECT_FALSE(budget.spend(1, next + 2 * kMs));
}

TEST(SwitchBudget, WatchesATenthOfTheTimeWhereAThreadIsSwitchedTenTimesAsOftenAsItMay) {
  SwitchBudget budget;
  std::uint64_t watched = 0, rounds = 0;
  bool is_watched = true;
  for (std::uint64_t now = kStart; now < kStart + 200 * kSecond; now += kMs, ++rounds) {
    is_watched = budget.spend(10 * SwitchBudget::kMost / 1000, now);
    watched += is_watched ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(watched) / static_cast<double>(rounds), 0.1, 0.005);
}

TEST(SwitchBudget, HasOneMomentASecondForAllThreadsAtNoFixedDistance) {
  SwitchBudget one, other;
  std::set<std::uint64_t> distances;
  std::uint64_t before = 0;
  for (std::uint64_t second = 0; second < 100; ++second) {
    one.spend(0, kStart + second * kSecond);
    other.spend(1'000'000, kStart + second * kSecond);
    EXPECT_EQ(one.next_ns(), other.next_ns());
    EXPECT_EQ(one.next_ns() / kSecond, 5000 + second);
    if (before != 0) distances.insert((one.next_ns() - before) / kMs);
    before = one.next_ns();
  }
  EXPECT_GT(distances.size(), 10u);
}

}  // namespace
}  // namespace meridian
