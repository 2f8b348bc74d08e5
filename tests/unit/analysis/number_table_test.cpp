// SPDX-License-Identifier: Apache-2.0

#include "analysis/walk/number_table.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <unordered_map>

#include "tests/support/seed.hpp"

namespace meridian::test {
namespace {

TEST(NumberTable, BehavesLikeAStandardMap) {
  std::mt19937_64 random{seeded(1)};
  for (const std::uint64_t keys : {3U, 40U, 5000U}) {
    NumberTable<std::string> table;
    std::unordered_map<std::uint64_t, std::string> oracle;
    std::uint64_t first = 0;  // a window that moves, as of messages under way
    for (int i = 0; i < 100'000; ++i) {
      first += random() % 8 == 0 ? 1 : 0;
      const std::uint64_t key = first + random() % keys;
      switch (random() % 3) {
        case 0:
          table[key] = oracle[key] = std::to_string(random() % 1000);
          break;
        case 1:
          table.erase(key);
          oracle.erase(key);
          break;
        default: {
          const std::string* const found = table.find(key);
          ASSERT_EQ(found != nullptr, oracle.contains(key));
          if (found != nullptr) {
            ASSERT_EQ(*found, oracle[key]);
          }
        }
      }
      ASSERT_EQ(table.size(), oracle.size());
    }
    for (const auto& [key, value] : oracle) ASSERT_EQ(*table.find(key), value);
  }
}

TEST(NumberTable, GivesNewEntriesTheDefaultValueAlsoWhereOneWasRemoved) {
  NumberTable<int> table;
  table[5] = 7;
  table.erase(5);
  EXPECT_EQ(table.find(5), nullptr);
  EXPECT_EQ(table[5], 0);
  EXPECT_EQ(table.size(), 1U);
}

TEST(NumberTable, IsEmptyAtFirst) {
  NumberTable<int> table;
  table.erase(1);
  EXPECT_EQ(table.find(0), nullptr);
  EXPECT_EQ(table.size(), 0U);
}

}  // namespace
}  // namespace meridian::test
