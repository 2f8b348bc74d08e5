// SPDX-License-Identifier: Apache-2.0
#pragma once

// Rows of any table as JSON. Separate from json.hpp, because this header takes seconds to compile.

#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "trace/format/tables/table_column.hpp"

namespace meridian {

/// One row as an object whose members are its columns.
nlohmann::ordered_json json_row(std::span<const AnyColumn> columns, const void* row);

template <class Row>
nlohmann::ordered_json json_rows(std::span<const AnyColumn> columns, const std::vector<Row>& rows) {
  nlohmann::ordered_json result = nlohmann::ordered_json::array();
  for (const Row& row : rows) result.push_back(json_row(columns, &row));
  return result;
}

}  // namespace meridian
