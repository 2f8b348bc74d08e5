// SPDX-License-Identifier: Apache-2.0
// The line through ping-pong exchanges compared with formulas worked out by hand.

#include "merger/clocks/fit/clock_regression.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace meridian {
namespace {

/// Five exchanges of equal length at T = 0, 1, 2, 3, 4 s with D = 10, 13, 15, 19, 20 ns more than `offset_ns`.
/// n = 5, ST = 10, ST2 = 30, SD = 77, STD = 180, Delta = 50: X = 2.6, D0 = 10.2, squared residuals 1.6.
std::vector<ExchangeOffset> five(long double begin_ns = 0, long double offset_ns = 0) {
  std::vector<ExchangeOffset> trips;
  long double at = begin_ns;
  for (const long double d : {10.0L, 13.0L, 15.0L, 19.0L, 20.0L}) {
    trips.push_back({at, offset_ns + d, 2600, 0});
    at += 1e9L;
  }
  return trips;
}

TEST(ClockRegression, FollowsTheCorrectedFormulas) {
  const auto fit = fit_line(five(), true);
  ASSERT_TRUE(fit);
  EXPECT_EQ(fit->used, 5u);
  EXPECT_NEAR(fit->drift, 2.6e-9, 1e-22);
  EXPECT_NEAR(static_cast<double>(fit->offset_ns - fit->drift * fit->centre_ns), 10.2, 1e-12);
  const double residual = std::sqrt(1.6 / 3);
  EXPECT_NEAR(fit->residual_ns, residual, 1e-12);
  EXPECT_NEAR(fit->drift_error, residual * std::sqrt(5.0 / 50) * 1e-9, 1e-21);
  EXPECT_NEAR(fit->offset_error_ns(0), residual * std::sqrt(30.0 / 50), 1e-12);
}

TEST(ClockRegression, KeepsItsPrecisionFarFromZero) {
  const auto fit = fit_line(five(1e17L, -7e14L), true);  // three years after boot
  ASSERT_TRUE(fit);
  EXPECT_NEAR(fit->drift, 2.6e-9, 1e-17);
  EXPECT_NEAR(static_cast<double>(fit->offset_ns + 7e14L), 15.4, 1e-3);
  EXPECT_NEAR(fit->residual_ns, std::sqrt(1.6 / 3), 1e-3);
}

TEST(ClockRegression, WithoutDriftIsTheMean) {
  const auto fit = fit_line(five(), false);
  ASSERT_TRUE(fit);
  EXPECT_EQ(fit->drift, 0);
  EXPECT_NEAR(static_cast<double>(fit->offset_ns), 15.4, 1e-12);
  EXPECT_NEAR(fit->residual_ns, std::sqrt(69.2 / 4), 1e-12);
  EXPECT_NEAR(fit->centre_error_ns, std::sqrt(69.2 / 4 / 5), 1e-12);
}

TEST(ClockRegression, DropsTheSlowestTenthOfEachBatch) {
  std::vector<ExchangeOffset> trips;
  for (const int batch : {0, 1})
    for (int i = 0; i < 10; ++i)
      trips.push_back({batch * 1e9L + i, i == 9 ? 1e9L : 5, i == 9 ? 9000.0L : 2600.0L, batch});
  const auto fit = fit_line(trips, true);
  ASSERT_TRUE(fit);
  EXPECT_EQ(fit->used, 18u);
  EXPECT_EQ(fit->dropped, 2u);
  EXPECT_NEAR(static_cast<double>(fit->offset_ns), 5, 1e-12);
  EXPECT_NEAR(fit->drift, 0, 1e-24);
  EXPECT_EQ(fit->rtt_min_ns, 2600);
  EXPECT_EQ(fit->rtt_median_ns, 2600);
}

TEST(ClockRegression, TrustsQuickRoundTripsMore) {
  std::vector<ExchangeOffset> trips;
  for (int i = 0; i < 20; ++i) trips.push_back({i * 1.0L, 0, 1000, 0});
  for (int i = 0; i < 20; ++i) trips.push_back({i * 1.0L, 500, 2000, 0});  // as wrong as their length allows
  const auto fit = fit_line(trips, false);
  ASSERT_TRUE(fit);
  EXPECT_LT(std::abs(static_cast<double>(fit->offset_ns)), 0.001);
}

TEST(ClockRegression, OneMomentHasNoDrift) {
  const auto fit = fit_line(std::vector<ExchangeOffset>{{7, 3, 100, 0}, {7, 5, 100, 1}}, true);
  ASSERT_TRUE(fit);
  EXPECT_EQ(fit->drift, 0);
  EXPECT_EQ(fit->offset_ns, 4);
}

TEST(ClockRegression, TwoRoundTripsAreALineWithoutAResidual) {
  const auto fit = fit_line(std::vector<ExchangeOffset>{{0, 3, 100, 0}, {2e9L, 5, 100, 1}}, true);
  ASSERT_TRUE(fit);
  EXPECT_NEAR(fit->drift, 1e-9, 1e-22);
  EXPECT_EQ(fit->residual_ns, 0);
  EXPECT_EQ(fit->drift_error, 0);
}

TEST(ClockRegression, WithoutExchangesThereIsNoLine) { EXPECT_FALSE(fit_line({}, true)); }

}  // namespace
}  // namespace meridian
