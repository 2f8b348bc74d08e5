// SPDX-License-Identifier: Apache-2.0
// Prints the descriptions of the summary's tables and columns.

#include <fmt/format.h>

#include <algorithm>

#include "cli/summary/printable.hpp"
#include "cli/summary/table.hpp"
#include "cli/summary/text.hpp"
#include "summary/summary_tables.hpp"

namespace meridian {
namespace {

/// Which outputs have the column, unless all have it.
std::string place_of(const SummaryTable& table, const AnyColumn& column) {
  switch (table.outputs & column.outputs) {
    case kInJson:
      return " (JSON)";
    case kInPrint:
      return table.outputs == kInPrint ? "" : " (JSON and CSV)";
    case kInFile:
      return " (HDF5)";
    default:
      return "";
  }
}

/// "name  unit  " in front of a text that goes on below itself.
std::string column_text(const SummaryTable& table, const AnyColumn& column, std::size_t name_width) {
  const std::string begin = fmt::format("  {:<{}}  {:<5}  ", column.name, name_width, column.unit);
  std::string text = wrapped(std::string{column.text} + place_of(table, column), begin.size(), prose_width());
  return text.replace(0, begin.size(), begin);
}

}  // namespace

std::string columns_text() {
  std::string result;
  for (const SummaryTable& table : summary_tables()) {
    if (!result.empty()) result += "\n";
    result += wrapped(fmt::format("{}: {}", table.name, table.text), 0, prose_width());
    std::size_t name_width = 0;
    for (const AnyColumn& column : table.columns) name_width = std::max(name_width, column.name.size());
    for (const AnyColumn& column : table.columns) result += column_text(table, column, name_width);
  }
  return result;
}

}  // namespace meridian
