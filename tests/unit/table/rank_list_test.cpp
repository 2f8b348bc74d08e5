// SPDX-License-Identifier: Apache-2.0
#include "trace/model/rank_list.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace meridian {
namespace {

std::string chosen_of_twenty(std::string_view list) {
  std::string ranks;
  for (int rank = 0; rank < 20; ++rank)
    if (list_has_rank(list, rank)) ranks += (ranks.empty() ? "" : " ") + std::to_string(rank);
  return ranks;
}

TEST(RankList, HoldsSingleRanksRangesAndEveryNthRank) {
  EXPECT_EQ(chosen_of_twenty("all"), "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19");
  EXPECT_EQ(chosen_of_twenty("5"), "5");
  EXPECT_EQ(chosen_of_twenty("0, 8-11"), "0 8 9 10 11");
  EXPECT_EQ(chosen_of_twenty("1/8"), "0 8 16");
  EXPECT_EQ(chosen_of_twenty("3%8"), "3 11 19");
  EXPECT_EQ(chosen_of_twenty("18-2147483647,1/16"), "0 16 18 19");
}

TEST(RankList, IsNotValidWithAnItemOfAnotherForm) {
  std::string_view problem;
  for (const std::string_view list : {"all", "0", "0,1", "7-7", "1/1", "0%1", "2147483647"})
    EXPECT_TRUE(is_rank_list(list, problem)) << list;
  for (const std::string_view list :
       {"", " ", "x", "-1", "7-3", "1-", "2/16", "1/0", "16%16", "0,,1", "2147483648", "1.5", "0 1"})
    EXPECT_FALSE(is_rank_list(list, problem)) << list;
  EXPECT_FALSE(is_rank_list("0,7-3,5", problem));
  EXPECT_EQ(problem, "7-3");
}

}  // namespace
}  // namespace meridian
