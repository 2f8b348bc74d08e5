// SPDX-License-Identifier: Apache-2.0
#include "merger/clocks/report/read_clock_report.hpp"

#include <span>
#include <string>

#include "merger/clocks/report/clock_report_columns.hpp"
#include "trace/format/column_table.hpp"

namespace meridian {

Result<ClockReport> read_clock_report(const std::filesystem::path& merged) {
  MERIDIAN_TRY(const h5::File file, h5::open_read_only(merged));
  ClockReport report;
  MERIDIAN_TRY_DO(clock_report::for_each_table(
      report, [&](const std::string& name, std::span<const AnyColumn> columns, auto& rows) -> Status {
        if (!h5::exists(file.get(), name)) return {};
        MERIDIAN_TRY(const h5::Group group, h5::open_group(file.get(), name));
        Status status = read_columns(group.get(), columns, room_in(rows));
        if (!status) status.error().what += " (table '" + name + "')";
        return status;
      }));
  return report;
}

}  // namespace meridian
