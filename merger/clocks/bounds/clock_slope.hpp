// SPDX-License-Identifier: Apache-2.0
#pragma once

// How much faster or slower a clock may be than its fitted line.

#include <cstddef>
#include <vector>

#include "merger/clocks/samples/clock_correction.hpp"
#include "merger/clocks/samples/clock_samples.hpp"

namespace meridian {

/// For each domain, how far the mean slope of its correction can be from the true one (ns per ns), given that nothing
/// is received before it is sent. Two constraints in opposite directions bound the slope between them by the sum of
/// their slacks over the time between them: tightly in a long run, loosely in a short one or if all exchanges lie close
/// together. Along several links to the reference the doubts add up. Infinite if nothing bounds the slope.
std::vector<double> slope_doubts(const ClockSamples& samples, const ClockCorrection& correction, std::size_t reference);

}  // namespace meridian
