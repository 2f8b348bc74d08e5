// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "merger/clocks/samples/clock_correction.hpp"
#include "merger/clocks/samples/clock_samples.hpp"

namespace meridian {

struct ClockFitSettings {
  std::size_t reference = 0;  ///< domain whose clock is the global one
  double segment_ns = 0;      ///< spacing of the knots; 0: as fine as the messages allow
};

struct ClockFitResult {
  ClockCorrection correction;
  double latency_ns = 0;         ///< typical value of the fitted smallest one-way latencies
  std::uint64_t infeasible = 0;  ///< points of the samples that are still received before they were sent
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

}  // namespace meridian
