// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sqlite3.h>

#include <string>
#include <string_view>

#include "query/query_table.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// Chooses the conditions of a query that narrow a table's window: xBestIndex. SQLite checks all conditions again.
int choose_plan(const QueryTable& table, const QueryTrace& trace, sqlite3_index_info& info);

/// The window of a plan.
///
/// number, text, values  as choose_plan() and SQLite gave them to xFilter
Result<RowWindow> window_of_plan(const QueryTrace& trace, int number, std::string_view text, int count,
                                 sqlite3_value** values);

}  // namespace meridian
