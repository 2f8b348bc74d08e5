#pragma once

// One straight line a domain, from the hulls of its messages.

#include <cstddef>
#include <vector>

#include "merger/clocks/clock_samples.hpp"

namespace meridian {

/// Correction of a domain's first line: offset + slope * (t - origin of the samples).
struct HullLine {
  double offset_ns = 0;
  double slope = 0;
  bool is_placed = false;   ///< by way of messages or collectives, to a domain that was placed to begin with
  bool is_two_way = false;  ///< on the whole way messages went both ways, so that offsets are bounded on both sides
  double spare_ns = 0;      ///< of the last step: half the height of the corridor; negative: no line fits
};

/// Places domains, step by step along the messages, at the middle of the highest corridor between the delays of both
/// directions that a straight line leaves. Pairs that have both directions come first, then fewer steps; then what
/// waiting in collectives leaves, and messages one way last.
///
/// roots  [domains]: those that are placed already (as lines given; zeros keep the first lines).
std::vector<HullLine> hull_lines(const ClockSamples& samples, std::vector<HullLine> roots);

}  // namespace meridian
