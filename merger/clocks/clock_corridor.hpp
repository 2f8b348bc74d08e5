#pragma once

#include <span>

#include "merger/clocks/clock_samples.hpp"

namespace meridian {

/// What a round trip between two domains takes at least (ns), whatever their clocks do: the least sum of both
/// directions' hulls at one time, in which the difference of the clocks cancels, in windows spread over the run. A
/// clock that bends within a window makes it too small by as much. Infinite when no window has messages both ways at a
/// time.
double least_round_trip(const PairSamples& pair);

/// The latency of the network: of each domain the quickest of its pairs, and of these the middle. Most pairs may never
/// have had a quick message each way.
///
/// halves   [pairs of the samples, or more]: half of the least round trip, ns; not positive where it is not known.
/// returns  `otherwise` when none is known.
double usual_latency(const ClockSamples& samples, std::span<const double> halves, double otherwise);

}  // namespace meridian
