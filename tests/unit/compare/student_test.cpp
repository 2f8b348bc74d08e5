// SPDX-License-Identifier: Apache-2.0
// Welch's t-test against closed forms, tables and integration.

#include "summary/compare/student.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace meridian {
namespace {

/// P(|T| >= t) by Simpson's rule over the density from 0 to t.
double integrated(double t, double degrees) {
  const double front =
      std::exp(std::lgamma((degrees + 1) / 2) - std::lgamma(degrees / 2)) / std::sqrt(degrees * std::acos(-1.0));
  const auto density = [&](double x) { return front * std::pow(1 + x * x / degrees, -(degrees + 1) / 2); };
  constexpr int kSteps = 20'000;
  const double step = t / kSteps;
  double sum = density(0) + density(t);
  for (int i = 1; i < kSteps; ++i) sum += density(i * step) * (i % 2 == 1 ? 4 : 2);
  return 1 - 2 * sum * step / 3;
}

TEST(Student, AgreesWithTheClosedFormsOfOneAndTwoDegrees) {
  for (const double t : {0.0, 0.1, 1.0, 2.0, 12.7}) {
    EXPECT_NEAR(two_sided_probability(t, 1), 1 - 2 * std::atan(t) / std::acos(-1.0), 1e-12) << t;
    EXPECT_NEAR(two_sided_probability(t, 2), 1 - t / std::sqrt(2 + t * t), 1e-12) << t;
    EXPECT_EQ(two_sided_probability(t, 3), two_sided_probability(-t, 3));
  }
}

TEST(Student, AgreesWithAnIntegralOfTheDensity) {
  for (const double degrees : {2.5, 3.0, 7.3, 30.0, 200.0})
    for (const double t : {0.3, 1.0, 2.1, 4.0})
      EXPECT_NEAR(two_sided_probability(t, degrees), integrated(t, degrees), 1e-9) << t << " " << degrees;
}

TEST(Student, AgreesWithTheTableOfCriticalValues) {
  EXPECT_NEAR(two_sided_probability(12.7062, 1), 0.05, 1e-6);
  EXPECT_NEAR(two_sided_probability(4.3027, 2), 0.05, 1e-5);
  EXPECT_NEAR(two_sided_probability(2.2281, 10), 0.05, 1e-5);
  EXPECT_NEAR(two_sided_probability(2.7500, 30), 0.01, 1e-5);
}

TEST(Student, AGroupHasItsMeanAndTheDeviationOfASample) {
  const Sample sample = sample_of(std::array{1.0, 2.0, 6.0});
  EXPECT_EQ(sample.count, 3U);
  EXPECT_DOUBLE_EQ(sample.mean, 3);
  EXPECT_DOUBLE_EQ(sample.sd, std::sqrt(7));
  EXPECT_EQ(sample_of(std::array{5.0}).sd, 0);
}

TEST(Student, WelchsTestHasTheKnownResultOfAKnownExample) {
  // Two groups of fifteen with different variances: t = 2.46, 25 degrees, p = 0.021.
  const Sample first =
      sample_of(std::array{27.5, 21.0, 19.0, 23.6, 17.0, 17.9, 16.9, 20.1, 21.9, 22.6, 23.1, 19.6, 19.0, 21.7, 21.4});
  const Sample second =
      sample_of(std::array{27.1, 22.0, 20.8, 23.4, 23.4, 23.5, 25.8, 22.0, 24.8, 20.2, 21.9, 22.1, 22.9, 20.5, 24.4});
  const MeanDifference difference = welch_test(first, second);
  EXPECT_NEAR(difference.p_value, 0.0213, 0.0002);
  EXPECT_LT(difference.low, second.mean - first.mean);
  EXPECT_GT(difference.low, 0);
  EXPECT_NEAR(difference.low + difference.high, 2 * (second.mean - first.mean), 1e-12);
  // The interval of 95 % is where the t-test has p = 0.05: 2.0595 standard errors for 25 degrees.
  const double error = std::sqrt(first.sd * first.sd / 15 + second.sd * second.sd / 15);
  EXPECT_NEAR((difference.high - difference.low) / 2 / error, 2.0595, 0.001);
}

TEST(Student, TheUnitDoesNotMatter) {
  const MeanDifference seconds = welch_test({3, 1.0, 0.1}, {4, 1.3, 0.2});
  const MeanDifference nanoseconds = welch_test({3, 1.0e-9, 0.1e-9}, {4, 1.3e-9, 0.2e-9});
  EXPECT_NEAR(seconds.p_value, nanoseconds.p_value, 1e-12);
}

TEST(Student, WithoutRepeatsInBothGroupsNothingIsKnown) {
  EXPECT_TRUE(std::isnan(welch_test({1, 1, 0}, {1, 2, 0}).p_value));
  EXPECT_TRUE(std::isnan(welch_test({3, 1, 0.1}, {1, 2, 0}).p_value));
  EXPECT_TRUE(std::isnan(welch_test({1, 1, 0}, {3, 2, 0.1}).low));
  EXPECT_TRUE(std::isnan(welch_test({2, std::nan(""), 0}, {2, 2, 0.1}).p_value));
}

TEST(Student, RepeatsWithoutAnySpreadAreEqualOrNot) {
  EXPECT_EQ(welch_test({2, 5, 0}, {2, 5, 0}).p_value, 1);
  const MeanDifference differ = welch_test({2, 5, 0}, {2, 6, 0});
  EXPECT_EQ(differ.p_value, 0);
  EXPECT_EQ(differ.low, 1);
  EXPECT_EQ(differ.high, 1);
}

}  // namespace
}  // namespace meridian
