// SPDX-License-Identifier: Apache-2.0
#include "cli/summary/csv.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <string_view>

#include "cli/summary/printable.hpp"
#include "summary/summary_tables.hpp"

namespace meridian {
namespace {

struct Cell {
  std::string operator()(const std::string& text) const { return csv_text(text); }
  std::string operator()(const std::vector<std::int32_t>& list) const {
    return csv_text(fmt::format("{}", fmt::join(list, " ")));
  }
  std::string operator()(bool flag) const { return flag ? "1" : "0"; }
  std::string operator()(double value) const { return csv_number(value); }
  std::string operator()(std::int64_t value) const { return fmt::format("{}", value); }
  std::string operator()(std::uint64_t value) const { return fmt::format("{}", value); }
};

void add_table(const SummaryTable& table, const Summary& summary, std::string& csv) {
  const std::size_t count = table.count(summary);
  if ((table.outputs & kInCsv) == 0 || (count == 0 && (table.when_empty & kInCsv) == 0)) return;
  add_csv_rows({table.name, table.columns, table.rows(summary), count, table.row_bytes}, csv);
}

}  // namespace

std::string csv_text(std::string_view text) {
  std::string clean = printable(text);
  if (!clean.empty() && std::string_view{"=+-@"}.find(clean.front()) != std::string_view::npos)
    clean.insert(0, 1, '\'');
  if (clean.find_first_of(",\" ") == std::string::npos) return clean;
  std::string result = "\"";
  for (const char c : clean) result += c == '"' ? std::string{"\"\""} : std::string(1, c);
  return result + "\"";
}

std::string csv_number(double value) { return std::isfinite(value) ? fmt::format("{}", value) : std::string{}; }

void add_csv_rows(const CsvRows& rows, std::string& csv) {
  if (!csv.empty()) csv += "\n";
  csv += "section";
  for (const AnyColumn& column : rows.columns)
    if (column.is_shown_in(kInCsv)) csv += fmt::format(",{}", column.name);
  csv += "\n";
  const char* row = static_cast<const char*>(rows.first);
  for (std::size_t i = 0; i < rows.count; ++i, row += rows.row_bytes) {
    csv += rows.section;
    for (const AnyColumn& column : rows.columns)
      if (column.is_shown_in(kInCsv)) csv.append(",").append(std::visit(Cell{}, value_of(column, row)));
    csv += "\n";
  }
}

std::string summary_csv(const Summary& summary) {
  std::string csv;
  for (const SummaryTable& table : summary_tables()) add_table(table, summary, csv);
  return csv;
}

}  // namespace meridian
