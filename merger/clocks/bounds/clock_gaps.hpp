// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace meridian {

/// How far each knot of a clock is from the exchanges around it.
struct ClockGaps {
  std::vector<double> seconds;  ///< [knot]: factor of the rate allowed per second
  std::vector<bool> is_long;    ///< [knot]: whether the clock may have changed its rate unseen
};

/// At two successive exchanges a clock's time is known, but not its rate. If the rate changes as much as is allowed, the
/// clock is furthest off in the middle between them, and the rate at the ends. Before the first exchange and after the
/// last one the rate keeps changing.
///
/// exchanges  knots at which there are any, ascending
/// step_s     between knots
ClockGaps gaps_between(std::vector<std::size_t> exchanges, std::size_t knots, double step_s);

}  // namespace meridian
