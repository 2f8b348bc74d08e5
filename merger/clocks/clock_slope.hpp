#pragma once

// How much quicker or slower a clock may be than the line that was fitted to it.

#include <cstddef>
#include <vector>

#include "merger/clocks/clock_residual.hpp"
#include "merger/clocks/clock_samples.hpp"

namespace meridian {

/// For each domain, ns per ns: how far the mean slope of its correction can be from the true one, given that nothing is
/// received before it is sent. Two moments with constraints in opposite directions bound the slope between them by what
/// both have to spare, over the time between them: little in a long run, and much in a short one, or in one whose round
/// trips lie close together. Over several steps to the reference the doubts add up. Infinite where nothing bounds it.
std::vector<double> slope_doubts(const ClockSamples& samples, const ClockResidual& residual, std::size_t reference);

}  // namespace meridian
