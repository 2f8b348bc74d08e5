// SPDX-License-Identifier: Apache-2.0
#pragma once

// Tables as groups of columns in an HDF5 file: a dataset for each column, all equally long.

#include <span>
#include <string>
#include <vector>

#include "trace/format/tables/column.hpp"
#include "trace/format/tables/table_column.hpp"

namespace meridian {

struct ColumnTableOptions {
  bool has_texts = false;  ///< AnyColumn::text becomes the attribute `description`
  bool is_narrow = false;  ///< see ColumnOptions
};

/// Writes the columns that are in files (kInFile) below `group`, which exists; their names may be paths. Omits lists.
Status write_columns(hid_t group, std::span<const AnyColumn> columns, const void* rows, std::size_t count,
                     const ColumnTableOptions& options = {});
/// Reads the columns that have a setter.
/// errors  not_found: a column that is not optional is missing; damaged: columns of different lengths, more rows than the file has bytes
///         (see RowRoom::free_bytes), a number without a word.
Status read_columns(hid_t group, std::span<const AnyColumn> columns, const RowRoom& room);

/// A table in the group `name` below `parent`: made for writing if it is not there, with the texts of its columns.
Status write_column_table(hid_t parent, const std::string& name, std::span<const AnyColumn> columns, const void* rows,
                          std::size_t count);
Status read_column_table(hid_t parent, const std::string& name, std::span<const AnyColumn> columns,
                         const RowRoom& room);

template <class Row>
Status write_column_table(hid_t parent, const std::string& name, std::span<const AnyColumn> columns,
                          const std::vector<Row>& rows) {
  return write_column_table(parent, name, columns, rows.data(), rows.size());
}
/// errors  as of read_columns(); also not_found: there is no group. They name the table.
template <class Row>
Status read_column_table(hid_t parent, const std::string& name, std::span<const AnyColumn> columns,
                         std::vector<Row>& rows) {
  return read_column_table(parent, name, columns, room_in(rows));
}

}  // namespace meridian
