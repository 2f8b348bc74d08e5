// SPDX-License-Identifier: Apache-2.0
#pragma once

// Whether two groups of repeats differ by more than chance: Welch's t-test.

#include <cstddef>
#include <limits>
#include <span>

namespace meridian {

struct Sample {
  std::size_t count = 0;
  double mean = 0;
  double sd = 0;  ///< of the sample, with count - 1; 0 for a single value
};
Sample sample_of(std::span<const double> values);

/// Probability that |T| is at least |t| in Student's t-distribution; `degrees` need not be whole.
/// Source: NIST Digital Library of Mathematical Functions, 8.17.22, for the incomplete beta function.
double two_sided_probability(double t, double degrees);

/// The difference of two means. Undefined (NaN) unless both groups have two values or more.
struct MeanDifference {
  double p_value = std::numeric_limits<double>::quiet_NaN();  ///< chance of such a difference if there is none
  double low = std::numeric_limits<double>::quiet_NaN();      ///< 95 % confidence interval of after - before
  double high = std::numeric_limits<double>::quiet_NaN();
};
/// Source: B. L. Welch, "The generalization of 'Student's' problem when several different population variances are
/// involved", Biometrika 34, 1947.
MeanDifference welch_test(const Sample& before, const Sample& after);

}  // namespace meridian
