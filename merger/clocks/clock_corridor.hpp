#pragma once

#include "merger/clocks/clock_samples.hpp"

namespace meridian {

/// What a round trip between two domains takes at least (ns), whatever their clocks do: the least sum of both
/// directions' hulls at one time, in which the difference of the clocks cancels, in windows spread over the run. A
/// clock that bends within a window makes it too small by as much. Infinite when no window has messages both ways at a
/// time.
double least_round_trip(const PairSamples& pair);

}  // namespace meridian
