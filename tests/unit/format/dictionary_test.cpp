// SPDX-License-Identifier: Apache-2.0
#include "trace/format/tables/dictionary.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "tests/support/seed.hpp"

namespace meridian {
namespace {

TEST(Dictionary, NumbersValuesInTheOrderOfTheirFirstUse) {
  Dictionary dictionary;
  EXPECT_EQ(dictionary.number_of(0), 0u);
  EXPECT_EQ(dictionary.number_of(77), 1u);
  EXPECT_EQ(dictionary.number_of(5), 2u);
  EXPECT_EQ(dictionary.number_of(77), 1u);
  EXPECT_EQ(dictionary.take_new(), (std::vector<std::uint64_t>{0, 77, 5}));
  EXPECT_EQ(dictionary.number_of(9), 3u);
  EXPECT_EQ(dictionary.take_new(), std::vector<std::uint64_t>{9});
}

TEST(Dictionary, GivesEachNumberOnePermanentValueEvenWhenItIsEmptied) {
  Dictionary dictionary;
  std::mt19937_64 random{test::seeded(1)};
  std::vector<std::pair<std::uint64_t, std::uint32_t>> given;
  for (std::size_t i = 0; i < 3 * Dictionary::kMost; ++i) {
    const std::uint64_t value = random() % (2 * Dictionary::kMost);
    given.emplace_back(value, dictionary.number_of(value));
  }
  const auto values = dictionary.take_new();
  for (const auto& [value, number] : given) ASSERT_EQ(values[number], value);
}

}  // namespace
}  // namespace meridian
