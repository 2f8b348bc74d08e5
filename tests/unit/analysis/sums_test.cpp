// SPDX-License-Identifier: Apache-2.0
// Sums by key and numbers of keys, for few keys and for more than their short lists hold.

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <vector>

#include "analysis/waits/activity_times.hpp"
#include "analysis/walk/recent_numbers.hpp"
#include "tests/support/seed.hpp"

namespace meridian::test {
namespace {

std::vector<Amount> sorted(const Amounts& amounts) {
  std::vector<Amount> list{{1, 1}};  // is replaced
  amounts.sort_into(list);
  return list;
}

std::map<std::uint32_t, std::int64_t> listed(const Amounts& amounts) {
  std::map<std::uint32_t, std::int64_t> all;
  std::uint32_t last = 0;
  for (const Amount& amount : sorted(amounts)) {
    EXPECT_TRUE(all.empty() || last < amount.key);
    last = amount.key;
    all[amount.key] = amount.ns;
  }
  return all;
}

TEST(Amounts, AreTheSumsOfAMapHoweverManyKeysThereAre) {
  std::mt19937_64 random{seeded(1)};
  Amounts sums, others;
  for (const std::uint32_t keys : {3U, 24U, 25U, 26U, 400U, 5U}) {
    std::map<std::uint32_t, std::int64_t> expected, of_others;
    sums.clear();
    others.clear();
    for (std::uint32_t i = 0; i < 4 * keys; ++i) {
      const std::uint32_t key = i < keys ? i * 7 : static_cast<std::uint32_t>(random() % keys) * 7;
      const auto ns = static_cast<std::int64_t>(random() % 1000) - 500;
      sums.add(key, ns);
      expected[key] += ns;
      others.add(key + 3, ns);
      of_others[key + 3] += ns;
    }
    EXPECT_EQ(listed(sums), expected) << keys;
    sums.add(others, -1);
    for (const auto& [key, ns] : of_others) expected[key] -= ns;
    EXPECT_EQ(listed(sums), expected) << keys;
    sums.add(sorted(others));
    for (const auto& [key, ns] : of_others) expected[key] += ns;
    EXPECT_EQ(listed(sums), expected) << keys;
  }
}

struct FewValues {
  std::size_t operator()(std::uint32_t key) const noexcept { return key % 3; }
};

TEST(RecentNumbers, NeverGiveTheNumberOfAnotherKey) {
  std::mt19937_64 random{seeded(2)};
  RecentNumbers<std::uint32_t, FewValues> recent;
  int known = 0;
  for (int i = 0; i < 1000; ++i) {
    const auto key = static_cast<std::uint32_t>(random() % 6);
    std::uint32_t& number = recent.of(key);
    EXPECT_TRUE(number == kUnknownNumber || number == 10 * key);
    known += number == kUnknownNumber ? 0 : 1;
    number = 10 * key;
  }
  EXPECT_GT(known, 100);
}

}  // namespace
}  // namespace meridian::test
