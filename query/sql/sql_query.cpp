// SPDX-License-Identifier: Apache-2.0
#include "query/sql_query.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

#include "query/sql/virtual_table.hpp"
#include "trace/model/nearest_name.hpp"

namespace meridian {
namespace {

constexpr sqlite3_int64 kMostMemory = std::int64_t{512} << 20;
constexpr const char* kChanges = "a statement that changes something";
constexpr int kLongestValue = 64 << 20;

struct CloseConnection {
  void operator()(sqlite3* connection) const { sqlite3_close(connection); }
};
struct FinalizeStatement {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Connection = std::unique_ptr<sqlite3, CloseConnection>;
using Statement = std::unique_ptr<sqlite3_stmt, FinalizeStatement>;

/// What a statement wanted to do besides reading.
struct Refusal {
  std::string what;
};

/// Allows reading of tables and functions that stay within the query.
int authorize(void* context, int action, const char* first, const char* second, const char*, const char*) {
  auto& refusal = *static_cast<Refusal*>(context);
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE:
      return SQLITE_OK;
    case SQLITE_UPDATE:  // asked when a virtual table declares its columns; statements cannot update the schema
      if (first != nullptr && std::string_view{first} == "sqlite_master") return SQLITE_OK;
      break;
    case SQLITE_FUNCTION:
      if (second == nullptr || !same_name(second, "load_extension")) return SQLITE_OK;
      refusal.what = "load_extension()";
      return SQLITE_DENY;
    case SQLITE_PRAGMA:
      refusal.what = std::string{"PRAGMA "} + (first == nullptr ? "" : first);
      return SQLITE_DENY;
    case SQLITE_ATTACH:
    case SQLITE_DETACH:
      refusal.what = "ATTACH";
      return SQLITE_DENY;
    default:
      break;
  }
  if (refusal.what.empty()) refusal.what = kChanges;
  return SQLITE_DENY;
}

Error refused(const std::string& what) {
  return {Errc::invalid_argument, std::string{"cannot run the query: "}.append(what).append(" is not allowed"),
          "a query is one SELECT statement, which may begin with WITH"};
}

/// Whether SQL has nothing left but blanks, comments and semicolons.
bool is_blank(std::string_view sql) {
  while (!sql.empty()) {
    if (sql.starts_with("--")) {
      sql.remove_prefix(std::min(sql.find('\n'), sql.size()));
    } else if (sql.starts_with("/*")) {
      const std::size_t end = sql.find("*/", 2);
      if (end == std::string_view::npos) return true;
      sql.remove_prefix(end + 2);
    } else if (sql.front() == ';' || std::isspace(static_cast<unsigned char>(sql.front())) != 0) {
      sql.remove_prefix(1);
    } else {
      return false;
    }
  }
  return true;
}

/// What the user may have meant by "no such table: evnts", or how else to go on.
std::string hint_for(std::string_view problem, const std::vector<QueryTable>& user_tables) {
  std::vector<std::string_view> names;
  constexpr std::string_view kTable = "no such table: ";
  constexpr std::string_view kColumn = "no such column: ";
  std::string_view wrong;
  if (problem.starts_with(kTable)) {
    wrong = problem.substr(kTable.size());
    for (const std::vector<QueryTable>* tables : {&query_tables(), &user_tables})
      for (const QueryTable& table : *tables) names.emplace_back(table.name);
  } else if (problem.starts_with(kColumn)) {
    wrong = problem.substr(kColumn.size());
    if (wrong.starts_with('"')) wrong = wrong.substr(1, wrong.find('"', 1) - 1);  // SQLite 3.46 and later
    if (wrong.find(' ') != std::string_view::npos)
      return "text has single quotes: '" + std::string{wrong} +
             "'. Else `meridian query --tables` lists tables and columns";
    wrong.remove_prefix(wrong.rfind('.') == std::string_view::npos ? 0 : wrong.rfind('.') + 1);
    for (const std::vector<QueryTable>* tables : {&query_tables(), &user_tables})
      for (const QueryTable& table : *tables)
        for (const QueryColumn& column : table.columns) names.push_back(column.column.name);
  }
  const std::string_view near = wrong.empty() ? wrong : nearest_name(wrong, names);
  std::string all = "`meridian query --tables` lists tables and columns";
  if (problem.starts_with("near \"group\"") || problem.starts_with("near \"GROUP\""))
    return "the name of the column has to be quoted: \"group\"";
  if (near.empty() || near == wrong) return all;
  return std::string{"did you mean '"}.append(near).append("'? Else ").append(all);
}

class Session {
 public:
  explicit Session(const QueryTrace& trace) : trace_{trace}, user_tables_{trace.trace()} {}

  Status open() {
    sqlite3_hard_heap_limit64(kMostMemory);
    sqlite3* made = nullptr;
    const int code = sqlite3_open_v2(":memory:", &made, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
    connection_.reset(made);
    if (code != SQLITE_OK) return failure(code);
    const auto set = [&](int option, int value) {
      return sqlite3_db_config(made, option, value, static_cast<int*>(nullptr)) == SQLITE_OK;
    };
    // DQS: a word in double quotes is a name, never a text.
    if (!set(SQLITE_DBCONFIG_DEFENSIVE, 1) || !set(SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0) ||
        !set(SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0) || !set(SQLITE_DBCONFIG_DQS_DML, 0) ||
        !set(SQLITE_DBCONFIG_DQS_DDL, 0))
      return failure(SQLITE_ERROR);
    sqlite3_limit(made, SQLITE_LIMIT_LENGTH, kLongestValue);
    sqlite3_limit(made, SQLITE_LIMIT_ATTACHED, 0);
    for (const std::vector<QueryTable>* tables : {&query_tables(), &user_tables_.list()})
      for (const QueryTable& table : *tables) bound_.push_back({&table, &trace_, &problem_});
    for (const BoundTable& bound : bound_)
      if (const int added = add_virtual_table(made, bound); added != SQLITE_OK) return failure(added);
    sqlite3_set_authorizer(made, &authorize, &refusal_);
    return {};
  }

  Status run(const std::string& sql, QuerySink& sink) {
    MERIDIAN_TRY(const Statement statement, prepare(sql));
    const int width = sqlite3_column_count(statement.get());
    std::vector<std::string> names;
    names.reserve(static_cast<std::size_t>(width));
    for (int i = 0; i < width; ++i) names.emplace_back(sqlite3_column_name(statement.get(), i));
    MERIDIAN_TRY_DO(sink.begin(names));
    std::vector<QueryValue> values(names.size());
    for (;;) {
      const int code = sqlite3_step(statement.get());
      if (code == SQLITE_DONE) return {};
      if (code != SQLITE_ROW) return failure(code);
      for (int i = 0; i < width; ++i) values[static_cast<std::size_t>(i)] = value_at(statement.get(), i);
      MERIDIAN_TRY(const bool is_more_wanted, sink.row(values));
      if (!is_more_wanted) return {};
    }
  }

 private:
  Result<Statement> prepare(const std::string& sql) {
    if (sql.find('\0') != std::string::npos) return refused("a zero byte");
    sqlite3_stmt* made = nullptr;
    const char* rest = nullptr;
    const int code = sqlite3_prepare_v2(connection_.get(), sql.c_str(), static_cast<int>(sql.size() + 1), &made, &rest);
    Statement statement{made};
    if (code != SQLITE_OK) return failure(code);
    if (!statement)
      return Error{Errc::invalid_argument, "there is no query", "give one SELECT statement; `meridian query --tables`"};
    if (!is_blank(rest)) return refused("more than one statement");
    if (sqlite3_stmt_readonly(statement.get()) == 0 || sqlite3_column_count(statement.get()) == 0)
      return refused(kChanges);
    return statement;
  }

  Error failure(int code) const {
    if (problem_) return *problem_;
    if (!refusal_.what.empty()) return refused(refusal_.what);
    if (code == SQLITE_NOMEM)
      return {Errc::invalid_argument,
              "cannot run the query: it needs more than " + std::to_string(kMostMemory >> 20) + " MiB of memory",
              "select fewer or shorter values at a time"};
    const std::string text = connection_ ? sqlite3_errmsg(connection_.get()) : sqlite3_errstr(code);
    if (text.ends_with("may not be modified")) return refused(kChanges);
    if (code == SQLITE_FULL || code == SQLITE_IOERR || code == SQLITE_CANTOPEN)
      return {Errc::io, "cannot run the query: " + text,
              "its temporary files are in the folder that SQLITE_TMPDIR or TMPDIR names, or in /var/tmp"};
    return {Errc::invalid_argument, "cannot run the query: " + text, hint_for(text, user_tables_.list())};
  }

  static QueryValue value_at(sqlite3_stmt* statement, int column) {
    switch (sqlite3_column_type(statement, column)) {
      case SQLITE_INTEGER:
        return std::int64_t{sqlite3_column_int64(statement, column)};
      case SQLITE_FLOAT:
        return sqlite3_column_double(statement, column);
      case SQLITE_NULL:
        return std::monostate{};
      default:
        break;
    }
    const bool is_blob = sqlite3_column_type(statement, column) == SQLITE_BLOB;
    const auto* const bytes = static_cast<const char*>(sqlite3_column_blob(statement, column));
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement, column));
    const std::string_view value{bytes == nullptr ? "" : bytes, bytes == nullptr ? 0 : size};
    if (!is_blob) return std::string{value};
    std::string digits;
    for (const char byte : value) {
      constexpr std::string_view kDigits = "0123456789abcdef";
      digits += kDigits[static_cast<unsigned char>(byte) >> 4U];
      digits += kDigits[static_cast<unsigned char>(byte) & 15U];
    }
    return digits;
  }

  const QueryTrace& trace_;
  UserEventTables user_tables_;
  std::vector<BoundTable> bound_;
  std::optional<Error> problem_;
  Refusal refusal_;
  Connection connection_;
};

}  // namespace

Status run_sql(const QueryTrace& trace, const std::string& sql, QuerySink& sink) {
  Session session{trace};
  MERIDIAN_TRY_DO(session.open());
  return session.run(sql, sink);
}

}  // namespace meridian
