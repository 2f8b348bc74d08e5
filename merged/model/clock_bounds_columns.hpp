// SPDX-License-Identifier: Apache-2.0
#pragma once

// The error bounds in the merged file: /clock_bounds of FORMAT.md.

#include <cstdint>
#include <vector>

#include "merged/model/clock_bounds.hpp"
#include "trace/format/tables/table_column.hpp"

namespace meridian {

inline constexpr const char* kClockBounds = "clock_bounds";
/// Attribute of the root: ClockBounds::largest_move_ns.
inline constexpr const char* kLargestMove = "clock_largest_move_ns";

/// A row of the table: a knot and its domain.
struct ClockBoundRow {
  std::uint32_t domain = 0;
  ClockBoundKnot knot;
};

namespace clock_bounds_detail {

template <BoundLevel Level, float (ClockBoundKnot::*Sides)[2]>
constexpr Column<ClockBoundRow> side(std::string_view name, std::string_view text) {
  return column<ClockBoundRow>(
      name, "ns", text, [](const ClockBoundRow& row) { return (row.knot.*Sides)[static_cast<std::size_t>(Level)]; },
      [](ClockBoundRow& row, float value) { (row.knot.*Sides)[static_cast<std::size_t>(Level)] = value; });
}

}  // namespace clock_bounds_detail

inline constexpr Columns kClockBoundColumns{
    column<&ClockBoundRow::domain>("domain", "", "clock_domain of /ranks; ascends"),
    column<&ClockBoundRow::knot, &ClockBoundKnot::time_ns>("time_ns", "ns", "global; ascends within a domain"),
    clock_bounds_detail::side<BoundLevel::t1, &ClockBoundKnot::early_ns>("t1_early_ns",
                                                                         "the true time is at most this much earlier"),
    clock_bounds_detail::side<BoundLevel::t1, &ClockBoundKnot::late_ns>("t1_late_ns",
                                                                        "the true time is at most this much later"),
    clock_bounds_detail::side<BoundLevel::t2, &ClockBoundKnot::early_ns>(
        "t2_early_ns", "the same, assuming that latencies vary by 20 % at most"),
    clock_bounds_detail::side<BoundLevel::t2, &ClockBoundKnot::late_ns>("t2_late_ns", ""),
    column<&ClockBoundRow::knot, &ClockBoundKnot::rate>("rate", "",
                                                        "all four grow by this, ns per ns, on both sides of time_ns"),
    column<&ClockBoundRow::knot, &ClockBoundKnot::is_certified>(
        "is_certified", "", "0: there is no bound from the knot before to the one after"),
};

/// The knots of all domains, one domain after another.
inline std::vector<ClockBoundRow> rows_of(const ClockBounds& bounds) {
  std::vector<ClockBoundRow> rows;
  for (std::uint32_t domain = 0; domain < bounds.domains.size(); ++domain)
    for (const ClockBoundKnot& knot : bounds.domains[domain]) rows.push_back({domain, knot});
  return rows;
}

}  // namespace meridian
