// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "query/query_table.hpp"
#include "query/query_value.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// Receives the result of a query. Values of type BLOB are texts of hexadecimal digits.
class QuerySink {
 public:
  QuerySink() = default;
  QuerySink(const QuerySink&) = delete;
  QuerySink& operator=(const QuerySink&) = delete;
  virtual ~QuerySink() = default;
  /// Called once, before all rows. Names may be the same.
  virtual Status begin(const std::vector<std::string>& columns) = 0;
  /// False: no more rows are wanted.
  virtual Result<bool> row(std::span<const QueryValue> values) = 0;
};

/// Runs one SQL query over the tables of query_tables() and gives its rows to the sink as they are found. The query cannot
/// change anything, nor reach another file. Its memory is bounded: large sorts go to temporary files.
///
/// errors  invalid_argument: not one query, or not valid, or not one that only reads; unsupported: this build has no
///         SQLite; damaged, io: of the trace, or of the sink
Status run_sql(const QueryTrace& trace, const std::string& sql, QuerySink& sink);

}  // namespace meridian
