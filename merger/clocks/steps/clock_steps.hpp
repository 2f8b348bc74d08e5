// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "merger/clocks/samples/clock_correction.hpp"
#include "merger/clocks/samples/clock_samples.hpp"

namespace meridian {

/// Finds clock steps that exceed the uncertainty of round trips before the fit, which would otherwise bend all clocks
/// around them. Adds each step, and changes the first line of its clock to the line of its times before the step (or
/// after it, if that part is longer); for a step of the reference, the lines of all others.
///
/// A step has to be seen by most partners of a domain at one time, and no partner may contradict it unless that partner
/// stepped at the same time. With two domains, the step is attributed to the one that is not the reference.
///
/// correction  first lines, on two knots
/// returns     the number of steps found
std::size_t find_steps(const ClockSamples& samples, ClockCorrection& correction, std::size_t reference);

}  // namespace meridian
