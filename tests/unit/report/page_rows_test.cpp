// SPDX-License-Identifier: Apache-2.0
#include "report/data/page_rows.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace meridian {
namespace {

using testing::ElementsAre;

MergedDefinitions with_ranks(int ranks) {
  MergedDefinitions definitions;
  for (int rank = ranks; rank-- > 0;) definitions.locations.push_back({rank, 0, 1, 0});  // rank 0 is the last location
  return definitions;
}

std::vector<ThreadProfile> profiles(const std::vector<float>& shares) {
  std::vector<ThreadProfile> threads;
  const auto last = static_cast<std::uint32_t>(shares.size()) - 1;
  for (std::uint32_t rank = 0; rank <= last; ++rank) threads.push_back({last - rank, {shares[rank], 1 - shares[rank]}});
  return threads;
}

TEST(PageRows, AreTheThreadsByRankIfThereIsRoom) {
  const std::vector<PageRow> rows = page_rows(with_ranks(3), profiles({0, 0, 0}), 3);
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].typical, 2U) << "the location of rank 0";
  EXPECT_THAT(rows[0].locations, ElementsAre(2U));
  EXPECT_EQ(rows[2].typical, 0U);
}

TEST(PageRows, AreGroupsThatBehaveAlikeIfThereIsNot) {
  const std::vector<PageRow> rows = page_rows(with_ranks(6), profiles({0.9F, 0.1F, 0.88F, 0.12F, 0.11F, 0.5F}), 3);
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_THAT(rows[0].locations, ElementsAre(5U, 3U)) << "ranks 0 and 2";
  EXPECT_THAT(rows[1].locations, ElementsAre(4U, 2U, 1U)) << "ranks 1, 3 and 4";
  EXPECT_EQ(rows[1].typical, 1U) << "rank 4 is the nearest to the mean of 0.1, 0.12 and 0.11";
  EXPECT_THAT(rows[2].locations, ElementsAre(0U)) << "rank 5 is like nobody";
}

TEST(PageRows, NameTheThreadThatFitsWorstIntoItsGroup) {
  const std::vector<PageRow> rows = page_rows(with_ranks(4), profiles({0.1F, 0.1F, 0.1F, 0.4F}), 1);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].outlier, 0U) << "rank 3";
  EXPECT_NE(rows[0].typical, 0U);
}

TEST(PageRows, OfThreadsThatShallStandAloneAreNoGroups) {
  const std::vector<std::uint32_t> alone{3};  // rank 2
  const std::vector<PageRow> rows =
      page_rows(with_ranks(6), profiles({0.9F, 0.1F, 0.88F, 0.12F, 0.11F, 0.9F}), 3, alone);
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_THAT(rows[0].locations, ElementsAre(5U, 0U)) << "ranks 0 and 5";
  EXPECT_THAT(rows[1].locations, ElementsAre(4U, 2U, 1U)) << "ranks 1, 3 and 4";
  EXPECT_THAT(rows[2].locations, ElementsAre(3U)) << "rank 2";
}

TEST(PageRows, OfThreadsThatAreAllTheSameAreOneGroup) {
  const std::vector<PageRow> rows = page_rows(with_ranks(5), profiles({0.5F, 0.5F, 0.5F, 0.5F, 0.5F}), 3);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].locations.size(), 5U);
}

}  // namespace
}  // namespace meridian
