// SPDX-License-Identifier: Apache-2.0
#include "query/sql/virtual_table.hpp"

#include <memory>
#include <new>
#include <string>
#include <utility>
#include <variant>

#include "query/query_value.hpp"
#include "query/sql/plan.hpp"

namespace meridian {
namespace {

struct Table : sqlite3_vtab {
  const BoundTable* bound = nullptr;
};

struct Cursor : sqlite3_vtab_cursor {
  std::unique_ptr<RowSource> source;
  bool is_at_end = true;
  sqlite3_int64 number = 0;
};

Table& table_of(sqlite3_vtab* table) { return *static_cast<Table*>(table); }
Cursor& cursor_of(sqlite3_vtab_cursor* cursor) { return *static_cast<Cursor*>(cursor); }

/// SQLite is written in C: no exception may pass through it.
template <class Action>
int guarded(Action&& action) noexcept {
  try {
    return action();
  } catch (const std::bad_alloc&) {
    return SQLITE_NOMEM;
  } catch (...) {
    return SQLITE_ERROR;
  }
}

int fail(sqlite3_vtab* table, const Error& error) {
  auto& problem = *table_of(table).bound->problem;
  if (!problem) problem = error;
  sqlite3_free(table->zErrMsg);
  table->zErrMsg = sqlite3_mprintf("%s", error.what.c_str());
  return SQLITE_ERROR;
}

const char* sql_type(const AnyColumn& column) {
  switch (column.form) {
    case ColumnForm::text:
    case ColumnForm::word:
    case ColumnForm::list:
      return "TEXT";
    default:
      return column.type == ColumnType::f64 ? "REAL" : "INTEGER";
  }
}

int connect(sqlite3* connection, void* context, int, const char* const*, sqlite3_vtab** made, char**) {
  return guarded([&] {
    const auto* const bound = static_cast<const BoundTable*>(context);
    std::string declaration = "CREATE TABLE x(";
    for (const QueryColumn& column : bound->table->columns) {
      if (declaration.back() != '(') declaration += ", ";
      declaration.append("\"").append(column.column.name).append("\" ").append(sql_type(column.column));
    }
    declaration += ')';
    const int code = sqlite3_declare_vtab(connection, declaration.c_str());
    if (code != SQLITE_OK) return code;
    auto table = std::make_unique<Table>();
    table->bound = bound;
    *made = table.release();
    return SQLITE_OK;
  });
}

int disconnect(sqlite3_vtab* table) {
  delete &table_of(table);
  return SQLITE_OK;
}

int best_index(sqlite3_vtab* table, sqlite3_index_info* info) {
  return guarded([&] {
    const BoundTable& bound = *table_of(table).bound;
    return choose_plan(*bound.table, *bound.trace, *info);
  });
}

int open_cursor(sqlite3_vtab*, sqlite3_vtab_cursor** made) {
  return guarded([&] {
    *made = std::make_unique<Cursor>().release();
    return SQLITE_OK;
  });
}

int close_cursor(sqlite3_vtab_cursor* cursor) {
  delete &cursor_of(cursor);
  return SQLITE_OK;
}

int next(sqlite3_vtab_cursor* at) {
  return guarded([&] {
    Cursor& cursor = cursor_of(at);
    const auto has_row = cursor.source->next();
    if (!has_row) return fail(at->pVtab, has_row.error());
    cursor.is_at_end = !*has_row;
    ++cursor.number;
    return SQLITE_OK;
  });
}

int filter(sqlite3_vtab_cursor* at, int number, const char* text, int count, sqlite3_value** values) {
  return guarded([&] {
    Cursor& cursor = cursor_of(at);
    const BoundTable& bound = *table_of(at->pVtab).bound;
    const auto window = window_of_plan(*bound.trace, number, text == nullptr ? "" : text, count, values);
    if (!window) return fail(at->pVtab, window.error());
    auto source = bound.table->open(*bound.trace, *window);
    if (!source) return fail(at->pVtab, source.error());
    cursor.source = *std::move(source);
    cursor.number = 0;
    return next(at);
  });
}

int is_at_end(sqlite3_vtab_cursor* cursor) { return cursor_of(cursor).is_at_end ? 1 : 0; }

struct Giver {
  sqlite3_context* to;

  void operator()(std::monostate) const { sqlite3_result_null(to); }
  void operator()(std::int64_t value) const { sqlite3_result_int64(to, value); }
  void operator()(double value) const { sqlite3_result_double(to, value); }
  void operator()(const std::string& text) const {
    sqlite3_result_text64(to, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  }
};

int give_column(sqlite3_vtab_cursor* at, sqlite3_context* to, int number) {
  return guarded([&] {
    const AnyColumn& column = table_of(at->pVtab).bound->table->columns[static_cast<std::size_t>(number)].column;
    std::visit(Giver{to}, query_value(column, cursor_of(at).source->row()));
    return SQLITE_OK;
  });
}

int give_number(sqlite3_vtab_cursor* cursor, sqlite3_int64* number) {
  *number = cursor_of(cursor).number;
  return SQLITE_OK;
}

/// Read-only, and present without CREATE VIRTUAL TABLE.
const sqlite3_module kModule = [] {
  sqlite3_module module{};
  module.xConnect = &connect;
  module.xBestIndex = &best_index;
  module.xDisconnect = &disconnect;
  module.xOpen = &open_cursor;
  module.xClose = &close_cursor;
  module.xFilter = &filter;
  module.xNext = &next;
  module.xEof = &is_at_end;
  module.xColumn = &give_column;
  module.xRowid = &give_number;
  return module;
}();

}  // namespace

int add_virtual_table(sqlite3* connection, const BoundTable& bound) {
  return sqlite3_create_module(connection, bound.table->name.c_str(), &kModule,
                               const_cast<BoundTable*>(&bound));  // NOLINT: SQLite's contexts are not const
}

}  // namespace meridian
