// SPDX-License-Identifier: Apache-2.0
#pragma once

// All tables of a summary, in the order of output. Reading and writing files, CSV and JSON are loops over this list.

#include <cstddef>
#include <cstdint>
#include <span>

#include "summary/summary.hpp"
#include "trace/format/tables/table_column.hpp"

namespace meridian {

struct SummaryTable {
  enum class Shape : std::uint8_t { one_row, many_rows };
  /// Location of a list column in files: a table of its own with two columns, the number of the row here and one
  /// element of its list.
  struct ListTable {
    const char* name = nullptr;
    const char* row = nullptr;
    const char* element = nullptr;
  };

  const char* name;
  std::span<const AnyColumn> columns;
  Shape shape;
  // For a table of one row, the row is the Summary itself.
  std::size_t (*count)(const Summary& summary);
  const void* (*rows)(const Summary& summary);
  void* (*make_rows)(Summary& summary, std::size_t count);
  std::size_t row_bytes;
  const char* text;                       ///< what its rows are
  std::uint8_t outputs = kEverywhere;     ///< outputs with this table; bits of Output
  std::uint8_t when_empty = kEverywhere;  ///< outputs with this table even if it has no rows
  bool is_flat = false;                   ///< JSON: members "name_column" instead of an object
  ListTable lists{};
  const char* heading = nullptr;  ///< heading of its section in the text, which is made from the columns
};

std::span<const SummaryTable> summary_tables();

}  // namespace meridian
