// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "merger/clocks/samples/clock_samples.hpp"

namespace meridian {

/// The least round trip time between two domains (ns), independent of their clocks: the least sum of both directions'
/// hulls at one time, in which the difference of the clocks cancels, over windows spread across the run. If a clock
/// bends within a window, the result is too small by that much. Infinite if no window has messages both ways at once.
double least_round_trip(const PairSamples& pair);

/// The typical latency of the network: the median, over domains, of the quickest pair of each. A median over pairs
/// would be too large, because most pairs may never have had a quick message each way.
///
/// halves   [pairs of the samples, or more]: half of the least round trip, ns; not positive where unknown.
/// returns  `otherwise` if none is known.
double usual_latency(const ClockSamples& samples, std::span<const double> halves, double otherwise);

}  // namespace meridian
