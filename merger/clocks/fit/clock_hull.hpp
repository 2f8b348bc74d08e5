// SPDX-License-Identifier: Apache-2.0
#pragma once

// One straight line per domain, from the hulls of its messages.

#include <cstddef>
#include <vector>

#include "merger/clocks/samples/clock_samples.hpp"

namespace meridian {

/// The correction of a domain's first line: offset + slope * (t - origin of the samples).
struct HullLine {
  double offset_ns = 0;
  double slope = 0;
  bool is_placed = false;   ///< connected by messages or collectives to a domain that was placed initially
  bool is_two_way = false;  ///< all pairs on the path have messages both ways, so the offset is bounded on both sides
};

/// Places domains, pair by pair, in the middle of the highest corridor between the delays of both directions that a
/// straight line leaves. Pairs with messages both ways are used first, along paths as short as possible; then waits in
/// collectives; then messages one way.
///
/// roots  [domains]: the domains that are placed already, with their lines; zeros keep the first lines.
std::vector<HullLine> hull_lines(const ClockSamples& samples, std::vector<HullLine> roots);

}  // namespace meridian
