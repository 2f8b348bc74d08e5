// SPDX-License-Identifier: Apache-2.0
// Prints the descriptions of the summary's tables and columns.

#include <fmt/format.h>

#include <algorithm>

#include "cli/summary/printable.hpp"
#include "cli/summary/table.hpp"
#include "cli/summary/text/text.hpp"
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
std::string column_text(const AnyColumn& column, const std::string& place, std::size_t name_width) {
  const std::string begin = fmt::format("  {:<{}}  {:<5}  ", column.name, name_width, column.unit);
  std::string text = wrapped(std::string{column.text} + place, begin.size(), prose_width());
  return text.replace(0, begin.size(), begin);
}

/// place  what place_of() says of each column
std::string described(std::string_view name, std::string_view text, std::span<const AnyColumn> columns, auto&& place) {
  std::string result = wrapped(fmt::format("{}: {}", name, text), 0, prose_width());
  std::size_t name_width = 0;
  for (const AnyColumn& column : columns) name_width = std::max(name_width, column.name.size());
  for (const AnyColumn& column : columns) result += column_text(column, place(column), name_width);
  return result;
}

}  // namespace

std::string columns_text() {
  std::string result;
  for (const SummaryTable& table : summary_tables()) {
    if (!result.empty()) result += "\n";
    result += described(table.name, table.text, table.columns,
                        [&](const AnyColumn& column) { return place_of(table, column); });
  }
  return result;
}

std::string table_columns_text(std::string_view name, std::string_view text, std::span<const AnyColumn> columns) {
  return described(name, text, columns, [](const AnyColumn&) { return std::string{}; });
}

}  // namespace meridian
