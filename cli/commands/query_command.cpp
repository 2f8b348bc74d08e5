// SPDX-License-Identifier: Apache-2.0
// meridian query: SQL over a merged trace.

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/print_summary.hpp"
#include "cli/progress.hpp"
#include "cli/query/result_writer.hpp"
#include "cli/summary/text/text.hpp"
#include "cli/summary_source.hpp"
#include "cli/support/interruption.hpp"
#include "merged/merged_trace.hpp"
#include "query/query_table.hpp"
#include "query/sql_query.hpp"

namespace meridian {
namespace {

struct QueryArguments {
  std::string first, second;  ///< the trace and the query, or the query only
  bool is_csv = false;
  bool is_json = false;
  bool is_list = false;
};

std::string tables_text(const std::vector<QueryTable>& tables) {
  std::string result;
  for (const QueryTable& table : tables) {
    if (!result.empty()) result += "\n";
    std::vector<AnyColumn> columns;
    for (const QueryColumn& column : table.columns) columns.push_back(column.column);
    result += table_columns_text(table.name, table.text, columns);
  }
  return result;
}

/// With a trace, also the tables that only this one has.
int list_tables(const std::string& directory) {
  std::string text = tables_text(query_tables());
  if (!directory.empty()) {
    const auto merged = find_merged(directory);
    if (!merged) return fail(merged.error());
    const auto trace = MergedTrace::open(*merged);
    if (!trace) return fail(trace.error());
    const UserEventTables own{*trace};
    if (!own.list().empty()) text += "\n" + tables_text(own.list());
  }
  return print(text) ? kExitFine : kExitCouldNotRun;
}

/// The query, from standard input for "-".
Result<std::string> read_sql(const std::string& given) {
  if (given != "-") return given;
  std::string sql{std::istreambuf_iterator<char>{std::cin}, {}};
  if (std::cin.bad()) return Error{Errc::io, "cannot read the query from standard input", ""};
  return sql;
}

int query(const QueryArguments& arguments) {
  if (arguments.is_list) return list_tables(arguments.first);
  std::error_code problem;
  const bool has_both = !arguments.second.empty();
  if (arguments.first.empty() || (!has_both && std::filesystem::exists(arguments.first, problem)))
    return fail({Errc::invalid_argument, "no query given",
                 "meridian query DIR \"SELECT ...\"; `meridian query --tables` lists tables and columns"});
  const auto sql = read_sql(has_both ? arguments.second : arguments.first);
  if (!sql) return fail(sql.error());
  const auto merged = find_merged(has_both ? arguments.first : std::string{});
  if (!merged) return fail(merged.error());
  const auto trace = MergedTrace::open(*merged);
  if (!trace) return fail(trace.error());

  (void)std::signal(SIGPIPE, SIG_IGN);  // a reader that closes the pipe early ends the query
  clean_up_when_interrupted(&wipe_progress);
  ProgressBar bar{is_terminal(STDERR_FILENO)};
  const QueryTrace source{*trace, [&](double fraction, std::string_view table) { bar.show(fraction, table); }};
  OutputBuffer output{[&](std::string_view text) {
                        bar.clear();
                        return print_some(text);
                      },
                      wants_colour(STDOUT_FILENO)};
  const auto writer = make_result_writer(arguments.is_json  ? ResultForm::json
                                         : arguments.is_csv ? ResultForm::csv
                                                            : ResultForm::text,
                                         output);
  Status status = run_sql(source, *sql, *writer);
  if (status) status = writer->finish();
  bar.clear();
  return status ? kExitFine : fail(status.error());
}

}  // namespace

Command query_command() {
  const auto arguments = std::make_shared<QueryArguments>();
  Command command{
      "query", "Answer a question in SQL about a merged trace", {}, [arguments] { return query(*arguments); }};
  command.options = {
      {"trace", "PATH", "merged.h5 or its directory (default: latest)", &arguments->first},
      {"sql", "SQL", "One SELECT statement of SQLite; - reads it from standard input", &arguments->second},
      {"--tables", "", "Say what the tables and columns are", &arguments->is_list},
  };
  add_form_options(command, arguments->is_csv, arguments->is_json);
  command.footer =
      "Times are seconds since the start of the trace. The slowest sends:\n"
      "  meridian query DIR \"SELECT call, start_s, duration_s, peer FROM events\n"
      "    WHERE function = 'MPI_Send' ORDER BY duration_s DESC LIMIT 10\"\n";
  return command;
}

}  // namespace meridian
