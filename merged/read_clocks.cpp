// SPDX-License-Identifier: Apache-2.0
#include "merged/read_clocks.hpp"

#include <span>
#include <string>

#include "merged/model/clock_bounds_columns.hpp"
#include "merged/model/clock_report_columns.hpp"
#include "merged/read_numbers.hpp"
#include "trace/format/tables/column_table.hpp"

namespace meridian {

Result<ClockReport> read_clock_report(hid_t file) {
  ClockReport report;
  MERIDIAN_TRY_DO(clock_report::for_each_table(
      report, [&](const std::string& name, std::span<const AnyColumn> columns, auto& rows) {
        return h5::exists(file, name) ? read_column_table(file, name, columns, rows) : Status{};
      }));
  return report;
}

Result<ClockBounds> read_clock_bounds(hid_t file) {
  std::vector<ClockBoundRow> rows;
  if (h5::exists(file, kClockBounds)) MERIDIAN_TRY_DO(read_column_table(file, kClockBounds, kClockBoundColumns, rows));
  if (rows.empty())
    return Error{Errc::not_found, "it has no bounds of its times", "merge again with --clock-model meridian"};
  const auto contradiction = [] { return damaged_merged("the bounds of times contradict each other"); };
  ClockBounds bounds;
  if (auto move = h5::read_int_attribute(file, kLargestMove); move) bounds.largest_move_ns = *move;
  if (!is_time(bounds.largest_move_ns)) return contradiction();
  for (const auto& [domain, knot] : rows) {
    if (domain > bounds.domains.size()) return contradiction();  // domains are numbered without gaps
    if (domain == bounds.domains.size()) bounds.domains.emplace_back();
    const bool has_bounds = knot.early_ns[0] >= 0 && knot.late_ns[0] >= 0 && knot.early_ns[1] >= 0 &&
                            knot.late_ns[1] >= 0 && knot.rate >= 0;
    if (!is_time(knot.time_ns) || (knot.is_certified && !has_bounds)) return contradiction();
    bounds.domains[domain].push_back(knot);
  }
  return bounds;
}

}  // namespace meridian
