// SPDX-License-Identifier: Apache-2.0
// What is said about the clocks: for which share of the times, and never against the choice that was made.
#include "summary/clock_verdict.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <utility>

#include "summary/summary.hpp"

namespace meridian {
namespace {

using testing::HasSubstr;

/// Two hosts, the second with these bounds; lines reverse `reversed` messages.
Summary two_hosts(double t1_most_s, double unbound_share, const char* shape = "", std::uint64_t reversed = 0) {
  Summary summary;
  ClockSummary& reference = summary.clocks.emplace_back();
  reference.model = "reference";
  reference.t1_s = 0;
  reference.unbound_share = 0;
  ClockSummary& other = summary.clocks.emplace_back();
  other.domain = 1;
  other.model = "meridian";
  other.t1_s = t1_most_s < 0 ? -1 : t1_most_s / 2;
  other.t1_most_s = t1_most_s;
  other.unbound_share = unbound_share;
  for (const char* name : {"linear", "regression"}) {
    ClockModelSummary& line = summary.clock_models.emplace_back();
    line.name = name;
    line.reversed = reversed;
  }
  ClockModelSummary& chosen = summary.clock_models.emplace_back();
  chosen.name = "meridian";
  chosen.is_chosen = true;
  chosen.shape = shape;
  return summary;
}

TEST(ClockVerdict, TimesAreGoodToABoundForAStatedShareOfThem) {
  EXPECT_EQ(clock_verdict(two_hosts(5e-6, 0)), "95.0 % of all times are good to 5.00 us (T1); every time has bounds");
}

TEST(ClockVerdict, TheShareWithoutBoundsStandsBesideIt) {
  EXPECT_EQ(clock_verdict(two_hosts(590e-6, 0.7)), "28.5 % of all times are good to 590 us (T1); 70.0 % have none");
}

TEST(ClockVerdict, AShareWithoutBoundsIsMentionedHoweverSmall) {
  EXPECT_EQ(clock_verdict(two_hosts(5e-6, 1e-5)), "95.0 % of all times are good to 5.00 us (T1); < 0.1 % have none");
}

TEST(ClockVerdict, AHostWithoutBoundsIsPartOfTheShareThatHasNone) {
  Summary summary = two_hosts(5e-6, 0);
  ClockSummary& third = summary.clocks.emplace_back();
  third.domain = 2;
  third.model = "meridian";
  third.unbound_share = 1;
  EXPECT_EQ(clock_verdict(summary),
            "47.5 % of all times are good to 5.00 us (T1); 50.0 % have none, among them all of one host");
}

TEST(ClockVerdict, WithoutAnyBoundItSaysSo) {
  EXPECT_EQ(clock_verdict(two_hosts(-1, 1)), "no bounds hold for the times");
}

TEST(ClockVerdict, LinesContradictTheMessagesOnlyIfNoLineOfTheTableDoesWithoutContradiction) {
  EXPECT_THAT(clock_verdict(two_hosts(5e-6, 0, "bends", 3)),
              HasSubstr("; the clocks bend: lines contradict the messages"));
  Summary one_fits = two_hosts(5e-6, 0, "bends", 3);
  one_fits.clock_models[1].reversed = 0;
  EXPECT_THAT(clock_verdict(one_fits), HasSubstr("; the clocks bend: bends fit the samples better than lines"));
}

TEST(ClockVerdict, DistancesOfRoundTripsAreGivenOnlyWhereTheyAreInFavourOfTheChoice) {
  Summary summary = two_hosts(5e-6, 0, "offsets");
  ClockModelSummary& chosen = summary.clock_models.back();
  chosen.lines_unseen_s = 58.8e-9;
  chosen.bends_unseen_s = 1.69e-6;
  EXPECT_THAT(
      clock_verdict(summary),
      HasSubstr("; the clocks run alike: a constant offset does as well (round trips that the fit has not seen are "
                "58.8 ns off, 1.69 us from bends)"));
  std::swap(chosen.lines_unseen_s, chosen.bends_unseen_s);
  EXPECT_THAT(clock_verdict(summary),
              HasSubstr("; the clocks run alike: what they bend by is within the scatter of the round trips"));
  chosen.shape = "bends";
  EXPECT_THAT(clock_verdict(summary),
              HasSubstr("; the clocks bend (round trips that the fit has not seen are 58.8 ns off, "
                        "1.69 us from a line)"));
}

TEST(ClockVerdict, ASummaryOfAnEarlierVersionHasTheTypicalBoundOnly) {
  Summary summary = two_hosts(5e-6, -1);
  summary.clocks[1].t1_most_s = -1;
  EXPECT_EQ(clock_verdict(summary), "times are typically good to 2.50 us (T1)");
}

}  // namespace
}  // namespace meridian
