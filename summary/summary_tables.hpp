// SPDX-License-Identifier: Apache-2.0
#pragma once

// All tables of a summary, in the order in which they are shown. Reading and writing files, CSV and JSON are loops over
// this list.

#include <cstddef>
#include <cstdint>
#include <span>

#include "summary/summary.hpp"
#include "trace/format/table_column.hpp"

namespace meridian {

struct SummaryTable {
  enum class Shape : std::uint8_t { one_row, many_rows };
  /// Where a file has the lists of a column: a table of its own with two columns, the number of the row here and one
  /// element of its list.
  struct ListTable {
    const char* name = nullptr;
    const char* row = nullptr;
    const char* element = nullptr;
  };

  const char* name;
  std::span<const AnyColumn> columns;
  Shape shape;
  // Of a table of one row, the row is the Summary itself.
  std::size_t (*count)(const Summary& summary);
  const void* (*rows)(const Summary& summary);
  void* (*make_rows)(Summary& summary, std::size_t count);
  std::size_t row_bytes;
  std::uint8_t outputs = kEverywhere;     ///< where it is shown; bits of Output
  std::uint8_t when_empty = kEverywhere;  ///< where it is shown without rows, too
  bool is_flat = false;                   ///< JSON: no object of its own, but members "name_column"
  ListTable lists{};
  const char* heading = nullptr;  ///< of its section in the text, which is then made from the columns
};

std::span<const SummaryTable> summary_tables();

}  // namespace meridian
