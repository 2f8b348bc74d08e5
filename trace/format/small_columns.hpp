// SPDX-License-Identifier: Apache-2.0
#pragma once

// Columns of the rank file that are kept in memory as a whole.

#include <span>
#include <string>
#include <vector>

#include "trace/format/column.hpp"
#include "trace/format/rank_file.hpp"

namespace meridian::rank_schema {

inline Error contradiction(const std::string& reason) {
  return Error{Errc::damaged, "the rank file contradicts itself: " + reason, ""};
}

/// A whole column; an error if it is longer than a file of this size can hold.
template <class T>
Result<std::vector<T>> read_column(hid_t file, const std::string& path) {
  MERIDIAN_TRY(ColumnReader column, ColumnReader::open(file, path));
  constexpr std::uint64_t kFreeBytes = std::uint64_t{256} << 20;  // lists of ranks compress better than tables
  if (!h5::is_plausible(file, column.size(), sizeof(T), kFreeBytes))
    return contradiction("'" + path + "' is larger than the file can hold");
  std::vector<T> values(static_cast<std::size_t>(column.size()));
  MERIDIAN_TRY_DO(column.read(0, std::span{values}));
  return values;
}

template <class T>
Status write_column(hid_t file, const std::string& path, std::span<const T> values) {
  MERIDIAN_TRY(ColumnWriter column, ColumnWriter::create(file, path, column_type<T>, {.is_narrow = true}));
  MERIDIAN_TRY_DO(column.append(values));
  return column.finish();
}

Status write_stacks(hid_t file, const std::vector<StackRow>& rows);
Status read_stacks(hid_t file, std::vector<StackRow>& rows);

}  // namespace meridian::rank_schema
