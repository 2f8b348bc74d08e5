#pragma once

#include <cstddef>

#include "merger/clocks/clock_residual.hpp"
#include "merger/clocks/clock_samples.hpp"

namespace meridian {

/// Looks for clocks that were set by more than round trips leave in doubt, before anything is fitted: by so much the
/// fit would bend all clocks around it. Adds a jump for each, and turns the first line of that clock into the one that
/// its times before the jump (or behind it, where there are more) lie on; for a step of the reference, those of all
/// others.
///
/// A step is one that most partners of a domain see at one time, and that none of them contradicts who was not set at
/// the same time. Of two domains alone, it is the one that is not the reference.
///
/// residual  first lines, on two knots.
/// returns   how many were found.
std::size_t find_steps(const ClockSamples& samples, ClockResidual& residual, std::size_t reference);

}  // namespace meridian
