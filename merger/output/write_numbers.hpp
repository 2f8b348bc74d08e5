// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "merged/model/merged_schema.hpp"
#include "merged/model/merged_tables.hpp"
#include "trace/format/tables/long_table.hpp"
#include "trace/model/result.hpp"

namespace meridian {

using NumberWriter = LongTableWriter<std::int64_t>;
inline Result<NumberWriter> create_numbers(ColumnParent file, const NumberColumn& column) {
  return NumberWriter::create(file, column.group, column.columns);
}

}  // namespace meridian
