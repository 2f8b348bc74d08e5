// SPDX-License-Identifier: Apache-2.0
#include "merged/model/clock_bounds.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace meridian {
namespace {

ClockBounds two_knots(bool is_second_certified = true) {
  ClockBounds bounds;
  bounds.domains = {
      {{.time_ns = 1000, .early_ns = {10, 5}, .late_ns = {20, 6}, .rate = 0.01f, .is_certified = true},
       {.time_ns = 2000, .early_ns = {30, 7}, .late_ns = {40, 8}, .rate = 0.01f, .is_certified = is_second_certified}}};
  return bounds;
}

TEST(ClockBounds, AreThoseOfTheNearerKnotAndGrowWithTheDistance) {
  const auto at_knot = two_knots().at(0, 1000, BoundLevel::t1);
  ASSERT_TRUE(at_knot);
  EXPECT_EQ(at_knot->early_ns, 10);
  EXPECT_EQ(at_knot->late_ns, 20);
  const auto between = two_knots().at(0, 1500, BoundLevel::t1);
  ASSERT_TRUE(between);
  EXPECT_EQ(between->early_ns, 15);
  EXPECT_EQ(between->late_ns, 25);
  const auto beyond = two_knots().at(0, 4000, BoundLevel::t2);
  ASSERT_TRUE(beyond);
  EXPECT_NEAR(static_cast<double>(beyond->early_ns), 27, 1);
}

TEST(ClockBounds, AreMissingNextToAKnotThatIsNotCertified) {
  EXPECT_FALSE(two_knots(false).at(0, 1500, BoundLevel::t1));
  EXPECT_TRUE(two_knots(false).at(0, 500, BoundLevel::t1));
  EXPECT_FALSE(two_knots().at(1, 1500, BoundLevel::t1)) << "no such domain";
}

TEST(ClockBounds, AreMissingIfOneSideIsOpen) {
  ClockBounds bounds = two_knots();
  for (ClockBoundKnot& knot : bounds.domains[0]) knot.late_ns[0] = std::numeric_limits<float>::infinity();
  EXPECT_FALSE(bounds.at(0, 1500, BoundLevel::t1));
  EXPECT_TRUE(bounds.at(0, 1500, BoundLevel::t2));
}

TEST(ClockBounds, ReachFurtherBackOnlyNextToEventsThatWereMoved) {
  ClockBounds bounds = two_knots();
  bounds.widen({{0, 100}});
  EXPECT_EQ(bounds.at(0, 500, BoundLevel::t1)->early_ns, two_knots().at(0, 500, BoundLevel::t1)->early_ns);
  EXPECT_NEAR(static_cast<double>(bounds.at(0, 3000, BoundLevel::t1)->early_ns),
              static_cast<double>(two_knots().at(0, 3000, BoundLevel::t1)->early_ns) + 100, 2);
  EXPECT_EQ(bounds.at(0, 3000, BoundLevel::t1)->late_ns, two_knots().at(0, 3000, BoundLevel::t1)->late_ns);
}

TEST(ClockBounds, ReachFurtherBackByTheLargestMoveOfOlderFiles) {
  ClockBounds bounds = two_knots();
  bounds.largest_move_ns = 100;
  EXPECT_EQ(bounds.at(0, 1000, BoundLevel::t1)->early_ns, 110);
  EXPECT_EQ(bounds.at(0, 1000, BoundLevel::t1)->late_ns, 20);
}

TEST(ClockBounds, DecideAnOrderOnlyWhenTheyDoNotOverlap) {
  const ClockBound ten{10, 10};
  EXPECT_EQ(order_of(100, ten, 121, ten), EventOrder::before);
  EXPECT_EQ(order_of(100, ten, 120, ten), EventOrder::undecided);
  EXPECT_EQ(order_of(121, ten, 100, ten), EventOrder::after);
}

}  // namespace
}  // namespace meridian
