// SPDX-License-Identifier: Apache-2.0
#pragma once

// Small tables and lists of strings, read and written whole: 1-D datasets of a compound type, and of fixed-length
// strings. For tables that are too short for a dataset for each column.

#include <span>
#include <string>
#include <vector>

#include "trace/format/h5.hpp"
#include "trace/format/table_column.hpp"

namespace meridian::h5 {

/// A compound type with a field for each column, which is a number.
Status write_rows(hid_t parent, const std::string& path, std::span<const AnyColumn> columns, const void* rows,
                  std::size_t count);
/// errors  not_found; damaged: not 1-D, a field is missing or no number, more rows than the file can hold.
/// Values that a field cannot hold are clipped, as HDF5 does.
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
/// errors  not_found; damaged: not 1-D, no strings, more than the file can hold.
Result<std::vector<std::string>> read_strings(hid_t parent, const std::string& path);

}  // namespace meridian::h5
