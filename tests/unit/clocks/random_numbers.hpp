// SPDX-License-Identifier: Apache-2.0
#pragma once

// The same numbers with every library: the standard distributions differ between libraries.

#include <cmath>
#include <numbers>
#include <random>

namespace meridian::test {

/// From 0 to 1, exclusive.
inline double unit(std::mt19937_64& random) { return static_cast<double>(random() >> 11) * 0x1.0p-53; }

inline double exponential(std::mt19937_64& random, double mean) { return -mean * std::log(1 - unit(random)); }

inline double gauss(std::mt19937_64& random) {
  const double radius = std::sqrt(-2 * std::log(1 - unit(random)));
  return radius * std::cos(2 * std::numbers::pi * unit(random));
}

}  // namespace meridian::test
