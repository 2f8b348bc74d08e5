#pragma once

#include <cstddef>

#include "merger/clocks/clock_residual.hpp"
#include "merger/clocks/clock_samples.hpp"

namespace meridian {

/// Looks for clocks that were set by more than round trips leave in doubt, before anything is fitted: by so much the
/// fit would bend all clocks around it. Adds a jump for each, and turns the first line of that clock into the one that
/// its times before the jump (or behind it, where there are more) lie on.
///
/// Between two domains that talk both ways, each window has a corridor in which the difference of their clocks lies. A
/// step moves it from one window to the next by more than its width, by far more than in the windows around, and does
/// so for most partners of one domain. A reference that was set is not found.
///
/// residual  first lines, on two knots.
/// returns   how many were found.
std::size_t find_steps(const ClockSamples& samples, ClockResidual& residual, std::size_t reference);

}  // namespace meridian
