// SPDX-License-Identifier: Apache-2.0
#pragma once

// Tables as groups of columns in an HDF5 file: a dataset for each column, all equally long.

#include <span>

#include "trace/format/column.hpp"
#include "trace/format/table_column.hpp"

namespace meridian {

/// Writes the columns that are shown in files into `group`, which exists. Lists are left out.
/// has_texts  AnyColumn::text becomes the attribute `description`.
Status write_columns(hid_t group, std::span<const AnyColumn> columns, const void* rows, std::size_t count,
                     bool has_texts);
/// The way back, for columns that have a setter.
/// errors  not_found: a column is missing; damaged: columns of different lengths, more rows than the file has bytes, a
/// number that stands for no word.
Status read_columns(hid_t group, std::span<const AnyColumn> columns, const RowRoom& room);

}  // namespace meridian
