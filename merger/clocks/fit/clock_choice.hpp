// SPDX-License-Identifier: Apache-2.0
#pragma once

// Decides by evidence whether clocks bend.

#include <cstddef>
#include <cstdint>
#include <span>

#include "merger/clocks/fit/clock_fit.hpp"
#include "merger/clocks/samples/clock_correction.hpp"
#include "merger/clocks/samples/clock_samples.hpp"

namespace meridian {

enum class ClockShape : std::uint8_t { offsets, lines, bends };

struct ClockChoice {
  ClockShape shape = ClockShape::bends;
  /// How far the middles of round trips that a fit has not seen are from it: their median, ns. -1: not compared, because
  /// one of the fits leaves more messages reversed, or there are too few.
  double bends_ns = -1;
  double lines_ns = -1;
  std::uint64_t bends_reversed = 0;  ///< points of the samples that are received before they are sent
  std::uint64_t lines_reversed = 0;
};

/// Replaces a fit that bends by lines, or by constant distances, unless the samples ask for bends: if it leaves fewer
/// messages reversed, if quick round trips contradict the lines but not the bends, or if it predicts round trips better
/// that neither fit has seen. These are every fourth stretch of time with round trips, and then those in the middle
/// between them.
///
/// initial  the lines that the fit began with
/// drifts   [domain]: those of the first lines, dimensionless
/// fit      a fit with clock steps is only replaced if lines leave fewer messages reversed
ClockChoice choose_shape(const ClockSamples& samples, const ClockCorrection& initial, std::span<const double> drifts,
                         const ClockFitSettings& settings, ClockFitResult& fit);

}  // namespace meridian
