// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "merger/model/clocks.hpp"

namespace meridian {

/// Sets the typical bounds of each row of the clock table: the median half-width of its domain's certified knots within
/// the run; -1 if there is none. Call again after ClockBounds::widen(), so that the table has what the file has.
void set_bound_widths(Clocks& clocks);

}  // namespace meridian
