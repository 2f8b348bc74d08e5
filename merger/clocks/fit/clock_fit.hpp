// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "merger/clocks/samples/clock_correction.hpp"
#include "merger/clocks/samples/clock_samples.hpp"

namespace meridian {

struct ClockFitSettings {
  std::size_t reference = 0;  ///< domain whose clock is the global one
  double segment_ns = 0;      ///< spacing of the knots; 0: as fine as the messages allow
  /// [window]: samples that are held out, to be compared with the result. A fit without them is not brought into order
  /// and searches no clock steps. Empty: all samples count.
  std::vector<bool> held_out{};
  bool may_slew = true;  ///< whether the system of some host may slew its clock, by up to 500 ppm
};

struct ClockFitResult {
  ClockCorrection correction;
  double latency_ns = 0;         ///< typical value of the fitted smallest one-way latencies
  std::uint64_t infeasible = 0;  ///< points of the samples that are still received before they were sent
  /// Windows of the samples from one knot to the next, as far as messages show how clocks bend; where some are still
  /// reversed, knots may be closer.
  std::size_t group = 1;
};

/// Fits piecewise linear corrections to messages, ping-pong exchanges and collectives.
///
/// Each sample's corrected delay should be its direction's smallest latency plus an excess that is not negative. The
/// sum of squares is one-sided: a delay below the latency counts in full, a delay above it the less the larger it is.
/// The scale of "large" decreases from solution to solution (graduated non-convexity), on ever finer knots. Clocks may
/// bend only as oscillators do. Finally the knots around samples that are still reversed are moved by the least
/// possible.
///
/// initial  the correction to start from, on any knots; zeros where the first lines are good to a few latencies.
///          Domains that nothing connects to the reference keep it.
ClockFitResult fit_correction(const ClockSamples& samples, const ClockCorrection& initial,
                              const ClockFitSettings& settings);

/// The spacing of the knots of such a fit, in windows of the samples: at least one second, and two gaps between messages
/// in a typical direction; if most pairs communicate one way, two seconds and four gaps. The ends of the run, where
/// ping-pong exchanges crowd, do not count. Where clocks bend much between these knots and there are many messages, the
/// fit halves the spacing.
std::size_t windows_per_knot(const ClockSamples& samples, double segment_ns);

}  // namespace meridian
