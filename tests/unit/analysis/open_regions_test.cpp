// SPDX-License-Identifier: Apache-2.0
#include "merged/model/open_regions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace meridian::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct Played {
  OpenRegions<std::string> open;
  std::vector<std::string> ended;

  bool end(std::uint32_t call) {
    return open.end(
        call, [&](const auto& region) { ended.push_back(region.data + " at depth " + std::to_string(open.size())); });
  }
};

TEST(OpenRegions, EndInnermostFirstWithTheRegionAroundThem) {
  Played played;
  played.open.begin(1, "step");
  played.open.begin(2, "solve");
  played.open.begin(3, "sweep");
  EXPECT_TRUE(played.end(2));
  EXPECT_THAT(played.ended, ElementsAre("sweep at depth 2", "solve at depth 1"));
  EXPECT_EQ(played.open.innermost().data, "step");
}

TEST(OpenRegions, EndOnce) {
  Played played;
  played.open.begin(1, "step");
  played.open.begin(2, "solve");
  EXPECT_TRUE(played.end(1));
  EXPECT_FALSE(played.end(2)) << "it ended with the step";
  EXPECT_THAT(played.ended, ElementsAre("solve at depth 1", "step at depth 0"));
  EXPECT_TRUE(played.open.empty());
}

TEST(OpenRegions, IgnoreAnEndWithoutABeginning) {
  Played played;
  played.open.begin(1, "step");
  EXPECT_FALSE(played.end(2));
  EXPECT_THAT(played.ended, IsEmpty());
  EXPECT_EQ(played.open.size(), 1U);
}

TEST(OpenRegions, InsideThemselvesEndTheInnerOneFirst) {
  Played played;
  played.open.begin(1, "outer");
  played.open.begin(1, "inner");
  EXPECT_TRUE(played.end(1));
  EXPECT_TRUE(played.open.has(1));
  EXPECT_THAT(played.ended, ElementsAre("inner at depth 1"));
}

}  // namespace
}  // namespace meridian::test
