// SPDX-License-Identifier: Apache-2.0
#include "report/data/page_part.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace meridian {
namespace {

using testing::ElementsAre;

MergedDefinitions three_threads() {
  MergedDefinitions definitions;
  definitions.locations = {{0, 0, 1, 0}, {1, 0, 1, 0}, {1, 4, 1, 0}};
  return definitions;
}

TimelineRows rows_of_a_second() {
  TimelineRows rows;
  rows.rows = {{0, {0}, 0}, {1, {1, 2}, 2}};
  rows.begin_ns = 100;
  rows.end_ns = 1'000'000'000;
  return rows;
}

Result<PartRequest> parsed(std::string_view query) { return parse_part(query, rows_of_a_second(), three_threads()); }

TEST(PagePart, NamesRowsByNumberAndThreadsByRank) {
  const auto request = parsed("rows=1,1.4&from=200&to=300");
  ASSERT_TRUE(request) << request.error().what;
  EXPECT_EQ(request->from_ns, 200);
  EXPECT_EQ(request->to_ns, 300);
  ASSERT_EQ(request->rows.size(), 2U);
  EXPECT_THAT(request->rows[0].locations, ElementsAre(1U, 2U));
  EXPECT_THAT(request->rows[1].locations, ElementsAre(2U));
  EXPECT_EQ(request->rows[1].typical, 2U);
}

TEST(PagePart, LiesWithinTheRun) {
  const auto request = parsed("from=-9223372036854775808&to=9223372036854775807&rows=0");
  ASSERT_TRUE(request);
  EXPECT_EQ(request->from_ns, 100);
  EXPECT_EQ(request->to_ns, 1'000'000'000);
  const auto later = parsed("from=5000000000&to=5000000001&rows=0");
  ASSERT_TRUE(later);
  EXPECT_LT(later->from_ns, later->to_ns);
}

TEST(PagePart, OfAMalformedRequestIsAnError) {
  for (const char* const query :
       {"", "from=1&to=2", "from=1&to=2&rows=", "from=2&to=1&rows=0", "from=1&to=2&rows=2", "from=1&to=2&rows=1.1",
        "from=1&to=2&rows=-1", "from=1&to=2&rows=1.", "from=1&to=2&rows=.0", "from=1&to=2&rows=0,,0",
        "from=1x&to=2&rows=0", "from=1&to=9223372036854775808&rows=0", "from=1&to=2&rows=0&more=1"}) {
    const auto request = parsed(query);
    ASSERT_FALSE(request) << query;
    EXPECT_EQ(request.error().code, Errc::invalid_argument);
    EXPECT_EQ(request.error().what.substr(0, 26), "the request is malformed: ") << query;
  }
}

}  // namespace
}  // namespace meridian
