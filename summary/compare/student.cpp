// SPDX-License-Identifier: Apache-2.0
#include "summary/compare/student.hpp"

#include <algorithm>
#include <cmath>

namespace meridian {
namespace {

constexpr int kMostTerms = 500;
constexpr double kPrecise = 1e-15;
constexpr double kTiny = 1e-300;
constexpr double kOutside = 0.05;  ///< of the confidence interval

double away_from_zero(double value) { return std::fabs(value) < kTiny ? kTiny : value; }

/// The continued fraction of the incomplete beta function, by the method of Lentz.
double beta_fraction(double x, double a, double b) {
  double c = 1;
  double d = 1 / away_from_zero(1 - (a + b) * x / (a + 1));
  double result = d;
  for (int i = 1; i <= kMostTerms; ++i) {
    const double m = i;
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away_from_zero(1 + even * d);
    c = away_from_zero(1 + even / c);
    result *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away_from_zero(1 + odd * d);
    c = away_from_zero(1 + odd / c);
    result *= d * c;
    if (std::fabs(d * c - 1) < kPrecise) break;
  }
  return result;
}

/// The regularized incomplete beta function I_x(a, b).
double regularized_beta(double x, double a, double b) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double front =
      std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log1p(-x));
  return x < (a + 1) / (a + b + 2) ? front * beta_fraction(x, a, b) / a : 1 - front * beta_fraction(1 - x, b, a) / b;
}

/// The t that is exceeded, on both sides together, with this probability.
double critical_t(double probability, double degrees) {
  double low = 0;
  double high = 1;
  while (two_sided_probability(high, degrees) > probability && high < 1e12) high *= 2;
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    (two_sided_probability(middle, degrees) > probability ? low : high) = middle;
  }
  return high;
}

}  // namespace

Sample sample_of(std::span<const double> values) {
  Sample sample{.count = values.size()};
  for (const double value : values) sample.mean += value / static_cast<double>(values.size());
  if (values.size() < 2) return sample;
  double squares = 0;
  for (const double value : values) squares += (value - sample.mean) * (value - sample.mean);
  sample.sd = std::sqrt(squares / static_cast<double>(values.size() - 1));
  return sample;
}

double two_sided_probability(double t, double degrees) {
  return regularized_beta(degrees / (degrees + t * t), degrees / 2, 0.5);
}

MeanDifference welch_test(const Sample& before, const Sample& after) {
  MeanDifference result;
  if (before.count < 2 || after.count < 2) return result;
  const double n = static_cast<double>(before.count);
  const double m = static_cast<double>(after.count);
  const double difference = after.mean - before.mean;
  const double before_part = before.sd * before.sd / n;
  const double after_part = after.sd * after.sd / m;
  const double variance = before_part + after_part;
  if (!std::isfinite(difference) || !std::isfinite(variance)) return result;
  if (variance == 0) return {.p_value = difference == 0 ? 1.0 : 0.0, .low = difference, .high = difference};
  // Relative parts: the squares of small times would vanish.
  const double before_share = before_part / variance;
  const double after_share = after_part / variance;
  const double degrees = 1 / (before_share * before_share / (n - 1) + after_share * after_share / (m - 1));
  const double error = std::sqrt(variance);
  const double reach = critical_t(kOutside, degrees) * error;
  return {.p_value = two_sided_probability(difference / error, degrees),
          .low = difference - reach,
          .high = difference + reach};
}

}  // namespace meridian
