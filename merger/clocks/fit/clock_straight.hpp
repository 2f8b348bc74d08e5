// SPDX-License-Identifier: Apache-2.0
#pragma once

// Clocks that do not bend: one line per domain, or one distance, through the round trips of the whole run.

#include <cstddef>
#include <span>
#include <vector>

#include "merger/clocks/samples/clock_correction.hpp"
#include "merger/clocks/samples/clock_samples.hpp"

namespace meridian {

struct StraightSettings {
  std::size_t reference = 0;
  /// [domain]: the drift that the first line of each clock has, dimensionless. If given, the lines run as the clocks' own
  /// ticks do, at a constant distance.
  std::span<const double> drifts{};
  std::vector<bool> held_out{};  ///< [window]: samples that are left out; empty: all samples count
};

/// Fits a line to the middle of each meeting (robust least squares over all pairs at once). A meeting counts the less
/// the more its round trip exceeds the quickest of its pair; how much less follows from the residuals: where slow round
/// trips agree with quick ones, both directions became slower alike, and they count nearly as much.
///
/// initial  lines to start from, good to a few latencies
ClockCorrection fit_straight(const ClockSamples& samples, const ClockCorrection& initial,
                             const StraightSettings& settings);

}  // namespace meridian
