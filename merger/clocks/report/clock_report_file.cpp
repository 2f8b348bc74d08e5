// SPDX-License-Identifier: Apache-2.0
#include "merger/clocks/report/clock_report_file.hpp"

#include <span>
#include <string>

#include "merger/clocks/report/clock_report_columns.hpp"
#include "trace/format/column_table.hpp"

namespace meridian {

Status write_clock_report(hid_t file, const ClockReport& report) {
  return clock_report::for_each_table(
      report, [&](const std::string& name, std::span<const AnyColumn> columns, const auto& rows) -> Status {
        MERIDIAN_TRY(const h5::Group group, h5::create_group(file, name));
        return write_columns(group.get(), columns, rows.data(), rows.size(), true);
      });
}

}  // namespace meridian
