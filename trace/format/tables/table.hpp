// SPDX-License-Identifier: Apache-2.0
#pragma once

// Small tables and lists of strings, read and written whole: 1-D datasets of a compound type, and of fixed-length
// strings. For tables that are too short for one dataset per column.

#include <span>
#include <string>
#include <vector>

#include "trace/format/tables/h5.hpp"
#include "trace/format/tables/table_column.hpp"

namespace meridian::h5 {

/// Writes a compound type with one field for each column, all of which are numbers.
Status write_rows(hid_t parent, const std::string& path, std::span<const AnyColumn> columns, const void* rows,
                  std::size_t count);
/// errors  not_found; damaged: not 1-D, a field is missing or not a number, more rows than the file can hold.
/// Values that a field cannot hold are clipped, as in HDF5.
Status read_rows(hid_t parent, const std::string& path, std::span<const AnyColumn> columns, const RowRoom& room);

template <class Row>
Status write_table(hid_t parent, const std::string& path, std::span<const AnyColumn> columns,
                   std::span<const Row> rows) {
  return write_rows(parent, path, columns, rows.data(), rows.size());
}

template <class Row>
Result<std::vector<Row>> read_table(hid_t parent, const std::string& path, std::span<const AnyColumn> columns) {
  std::vector<Row> rows;
  MERIDIAN_TRY_DO(read_rows(parent, path, columns, room_in(rows)));
  return rows;
}

/// UTF-8, padded with zeros to the longest: for names, not for long texts.
Status write_strings(hid_t parent, const std::string& path, std::span<const std::string> strings);
/// errors  not_found; damaged: not 1-D, not strings, more than the file can hold.
Result<std::vector<std::string>> read_strings(hid_t parent, const std::string& path);

}  // namespace meridian::h5
