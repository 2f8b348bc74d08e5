// SPDX-License-Identifier: Apache-2.0
// Tables of the summary that are printed from the descriptions of their columns.

#include <fmt/format.h>

#include <algorithm>

#include "cli/summary/printable.hpp"
#include "cli/summary/table.hpp"
#include "cli/summary/text/text.hpp"
#include "summary/summary_tables.hpp"
#include "summary/units.hpp"

namespace meridian {
namespace {

struct CellText {
  std::string_view unit;
  std::string operator()(const std::string& text) const { return printable(text); }
  std::string operator()(const std::vector<std::int32_t>& list) const { return human_count(list.size()); }
  std::string operator()(bool flag) const { return flag ? "yes" : "no"; }
  std::string operator()(double value) const { return unit == "s" ? human_duration(value) : human_figure(value); }
  std::string operator()(std::int64_t value) const { return human_counted(value, "1"); }
  std::string operator()(std::uint64_t value) const {
    return unit == "bytes" || unit == "B" ? human_bytes(value) : human_count(value);
  }
};

constexpr std::size_t kMostTableRows = 40;

std::string title_of(const AnyColumn& column) {
  std::string title{column.name};
  std::ranges::replace(title, '_', ' ');
  return title;
}

/// Whether the table is about bytes and has none.
bool says_nothing(const SummaryTable& table, const Summary& summary) {
  bool has_bytes_column = false;
  const char* row = static_cast<const char*>(table.rows(summary));
  for (std::size_t i = 0; i < table.count(summary); ++i, row += table.row_bytes)
    for (const AnyColumn& column : table.columns) {
      if (column.unit != "bytes") continue;
      has_bytes_column = true;
      const auto value = value_of(column, row);
      const auto* const bytes = std::get_if<std::uint64_t>(&value);
      if (bytes == nullptr || *bytes != 0) return false;
    }
  return has_bytes_column;
}

std::string table_text(const SummaryTable& summary_table, const Summary& summary, const Paint& paint) {
  std::vector<Table::Column> titles;
  for (const AnyColumn& column : summary_table.columns)
    titles.push_back({title_of(column), column.form == ColumnForm::text ? Align::left : Align::right});
  Table table{std::move(titles)};
  const char* row = static_cast<const char*>(summary_table.rows(summary));
  const std::size_t rows = summary_table.count(summary), shown = std::min(rows, kMostTableRows);
  for (std::size_t i = 0; i < shown; ++i, row += summary_table.row_bytes) {
    std::vector<std::string> cells;
    for (const AnyColumn& column : summary_table.columns)
      cells.push_back(std::visit(CellText{column.unit}, value_of(column, row)));
    table.add(std::move(cells));
  }
  const std::string which = shown == rows ? std::string{} : fmt::format(" ({} of {})", shown, rows);
  return paint.heading(summary_table.heading + which) + "\n" +
         table.text([&](const std::string& line) { return paint.title(line); });
}

}  // namespace

std::string tables_section(const Summary& summary, const Paint& paint) {
  std::string result;
  for (const SummaryTable& table : summary_tables()) {
    if (table.heading == nullptr || table.count(summary) == 0 || says_nothing(table, summary)) continue;
    if (!result.empty()) result += "\n";
    result += table_text(table, summary, paint);
  }
  return result;
}

}  // namespace meridian
