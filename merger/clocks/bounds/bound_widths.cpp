// SPDX-License-Identifier: Apache-2.0
#include "merger/clocks/bounds/bound_widths.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "merger/clocks/samples/median.hpp"
#include "trace/model/units.hpp"

namespace meridian {
namespace {

constexpr std::int64_t kProbes = 2000;  ///< times of the run at which bounds are looked at

/// Half widths in ns of the bounds of a clock at times that are equally far apart, from begin to end of the run.
std::vector<double> widths_at_all_times(const Clocks& clocks, std::uint32_t domain, BoundLevel level) {
  std::vector<double> widths;
  for (std::int64_t i = 0; i <= kProbes; ++i) {
    const double time_ns = static_cast<double>(clocks.end_ns) * static_cast<double>(i) / kProbes;
    if (const auto bound = clocks.bounds.at(domain, static_cast<std::int64_t>(time_ns), level))
      widths.push_back(static_cast<double>(bound->half_width_ns()));
  }
  return widths;
}

/// Of the run, without the stretches between two knots in which the clock has a bound.
double unbound_share(const Clocks& clocks, std::uint32_t domain) {
  std::vector<std::int64_t> ends{0};
  for (const ClockBoundKnot& knot : clocks.bounds.domains[domain])
    if (knot.time_ns > 0 && knot.time_ns < clocks.end_ns) ends.push_back(knot.time_ns);
  ends.push_back(clocks.end_ns);
  std::int64_t unbound_ns = 0;
  for (std::size_t i = 1; i < ends.size(); ++i)
    if (!clocks.bounds.at(domain, std::midpoint(ends[i - 1], ends[i]), BoundLevel::t1))
      unbound_ns += ends[i] - ends[i - 1];
  return clocks.end_ns > 0 ? static_cast<double>(unbound_ns) / static_cast<double>(clocks.end_ns) : 0;
}

/// Those at the knots; a short run lies between two of them.
std::vector<double> widths_at_knots(const Clocks& clocks, std::uint32_t domain, BoundLevel level) {
  const auto at = static_cast<std::size_t>(level);
  std::vector<double> widths;
  for (const ClockBoundKnot& knot : clocks.bounds.domains[domain])
    if (knot.is_certified && knot.time_ns >= 0 && knot.time_ns <= clocks.end_ns)
      widths.push_back((static_cast<double>(knot.early_ns[at]) + static_cast<double>(knot.late_ns[at])) / 2);
  return widths.empty() ? widths_at_all_times(clocks, domain, level) : widths;
}

double typical_s(std::vector<double> widths) {
  return widths.empty() ? -1 : median(std::move(widths), 0) * kSecondsPerNs;
}

}  // namespace

void set_bound_widths(Clocks& clocks) {
  for (ClockSummary& row : clocks.table) {
    if (row.domain >= clocks.bounds.domains.size()) continue;
    row.t1_s = typical_s(widths_at_knots(clocks, row.domain, BoundLevel::t1));
    row.t2_s = typical_s(widths_at_knots(clocks, row.domain, BoundLevel::t2));
    std::vector<double> widths = widths_at_all_times(clocks, row.domain, BoundLevel::t1);
    row.unbound_share = unbound_share(clocks, row.domain);
    row.t1_most_s = -1;
    if (widths.empty()) continue;
    const auto most = static_cast<std::ptrdiff_t>(ClockSummary::kMostTimes * static_cast<double>(widths.size() - 1));
    std::ranges::nth_element(widths, widths.begin() + most);
    row.t1_most_s = widths[static_cast<std::size_t>(most)] * kSecondsPerNs;
  }
}

}  // namespace meridian
