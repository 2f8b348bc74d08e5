// SPDX-License-Identifier: Apache-2.0
#include "merged/model/clock_bounds.hpp"

#include <algorithm>
#include <cmath>

namespace meridian {

std::optional<ClockBound> ClockBounds::at(std::uint32_t domain, std::int64_t time_ns, BoundLevel level) const {
  if (domain >= domains.size() || domains[domain].empty()) return std::nullopt;
  const std::vector<ClockBoundKnot>& knots = domains[domain];
  const auto after = std::ranges::upper_bound(knots, time_ns, {}, &ClockBoundKnot::time_ns);
  const auto before = after == knots.begin() ? after : after - 1;
  const auto next = after == knots.end() ? after - 1 : after;
  const auto l = static_cast<std::size_t>(level);
  double early = HUGE_VAL, late = HUGE_VAL;
  for (const auto& knot : {*before, *next}) {
    if (!knot.is_certified) return std::nullopt;
    const double way = static_cast<double>(knot.rate) * std::abs(static_cast<double>(time_ns - knot.time_ns));
    early = std::min(early, static_cast<double>(knot.early_ns[l]) + way);
    late = std::min(late, static_cast<double>(knot.late_ns[l]) + way);
  }
  if (!(early < 1e17) || !(late < 1e17)) return std::nullopt;
  return ClockBound{static_cast<std::int64_t>(std::ceil(early)) + largest_move_ns,
                    static_cast<std::int64_t>(std::ceil(late))};
}

void ClockBounds::widen(const std::vector<std::vector<std::int64_t>>& moves_ns) {
  for (std::size_t d = 0; d < std::min(domains.size(), moves_ns.size()); ++d)
    for (std::size_t k = 0; k < std::min(domains[d].size(), moves_ns[d].size()); ++k) {
      ClockBoundKnot& knot = domains[d][k];
      // The bound was that of a time earlier by the move.
      const double move = std::ceil(static_cast<double>(moves_ns[d][k]) * (1 + static_cast<double>(knot.rate)));
      for (float& early : knot.early_ns)
        if (move > 0) early = std::nextafter(early + static_cast<float>(move), HUGE_VALF);
    }
}

EventOrder order_of(std::int64_t a_ns, const ClockBound& a, std::int64_t b_ns, const ClockBound& b) noexcept {
  if (a_ns + a.late_ns < b_ns - b.early_ns) return EventOrder::before;
  if (b_ns + b.late_ns < a_ns - a.early_ns) return EventOrder::after;
  return EventOrder::undecided;
}

}  // namespace meridian
