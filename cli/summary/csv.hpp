// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "summary/summary.hpp"
#include "trace/format/tables/table_column.hpp"

namespace meridian {

/// A text as a cell: control characters are escaped as by printable(), RFC 4180 quoting is applied. A spreadsheet would
/// take a text that begins like a formula for one, hence an apostrophe before those.
std::string csv_text(std::string_view text);
/// The shortest text that reads back as the same number; empty for NaN and infinity.
std::string csv_number(double value);

/// Rows of any table, `row_bytes` apart.
struct CsvRows {
  std::string_view section;
  std::span<const AnyColumn> columns;
  const void* first = nullptr;
  std::size_t count = 0;
  std::size_t row_bytes = 0;
};
/// Appends them with their header; a blank line separates them from what `csv` holds already.
void add_csv_rows(const CsvRows& rows, std::string& csv);

/// The summary as tables of comma-separated values (RFC 4180 quoting, lines end with "
/// "), described in docs/SUMMARY.md. A blank line separates the tables; each begins with its column names. The first
/// column is `section` and holds the table's name in every row. Control characters in names are escaped as by
/// printable().
std::string summary_csv(const Summary& summary);

}  // namespace meridian
