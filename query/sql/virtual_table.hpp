// SPDX-License-Identifier: Apache-2.0
#pragma once

// Tables of a merged trace as virtual tables of SQLite. https://www.sqlite.org/vtab.html

#include <sqlite3.h>

#include <optional>

#include "query/query_table.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// A table that SQLite reads.
struct BoundTable {
  const QueryTable* table;
  const QueryTrace* trace;
  std::optional<Error>* problem;  ///< the first error of the trace: SQLite keeps only its text
};

/// Makes the table visible to all queries of a connection. `bound` stays where it is until that is closed.
/// returns  a result code of SQLite
int add_virtual_table(sqlite3* connection, const BoundTable& bound);

}  // namespace meridian
