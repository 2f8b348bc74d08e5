// SPDX-License-Identifier: Apache-2.0
#include "merger/clocks/bounds/bound_widths.hpp"

#include <cstdint>
#include <utility>
#include <vector>

#include "merger/clocks/samples/median.hpp"
#include "trace/model/units.hpp"

namespace meridian {
namespace {

double median_half_width_s(const std::vector<ClockBoundKnot>& knots, int level, std::int64_t end_ns) {
  std::vector<double> widths;
  for (const ClockBoundKnot& knot : knots)
    if (knot.is_certified && knot.time_ns >= 0 && knot.time_ns <= end_ns)
      widths.push_back((static_cast<double>(knot.early_ns[level]) + static_cast<double>(knot.late_ns[level])) / 2);
  return widths.empty() ? -1 : median(std::move(widths), 0) * kSecondsPerNs;
}

}  // namespace

void set_bound_widths(Clocks& clocks) {
  for (ClockSummary& row : clocks.table) {
    if (row.domain >= clocks.bounds.domains.size()) continue;
    row.t1_s = median_half_width_s(clocks.bounds.domains[row.domain], 0, clocks.end_ns);
    row.t2_s = median_half_width_s(clocks.bounds.domains[row.domain], 1, clocks.end_ns);
  }
}

}  // namespace meridian
