// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "trace/format/tables/table_column.hpp"

namespace meridian {

/// A value of a table or of a result; no value is NULL. Texts may have any bytes.
using QueryValue = std::variant<std::monostate, std::int64_t, double, std::string>;

/// The value of a column in a row. Of a nullable column negative integers and empty texts are NULL; NaN always is. Flags
/// are 0 or 1, lists are texts with blanks between the numbers.
QueryValue query_value(const AnyColumn& column, const void* row);

}  // namespace meridian
