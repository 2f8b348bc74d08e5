// SPDX-License-Identifier: Apache-2.0
// meridian compare: what changed between runs.

#include <fmt/format.h>
#include <unistd.h>

#include <memory>
#include <utility>

#include "cli/commands.hpp"
#include "cli/compare/history.hpp"
#include "cli/compare/report.hpp"
#include "cli/compared_runs.hpp"
#include "cli/conditions.hpp"
#include "cli/output.hpp"
#include "cli/print_summary.hpp"
#include "cli/summary/table.hpp"

namespace meridian {
namespace {

struct CompareArguments {
  std::vector<std::string> runs;
  std::string history;
  bool is_weak = false;
  std::uint64_t rows = kTopRows;
  bool is_csv = false;
  bool is_json = false;
  ConditionOptions conditions;
};

int show_history(const CompareArguments& arguments) {
  const auto history = read_history(arguments.history);
  if (!history) return fail(history.error());
  const bool is_printed = arguments.is_json  ? print(history_json(*history))
                          : arguments.is_csv ? print(history_csv(*history))
                                             : print(history_text(*history, Paint{wants_colour(STDOUT_FILENO)}));
  return is_printed ? kExitFine : kExitCouldNotRun;
}

int compare(const CompareArguments& arguments) {
  if (arguments.conditions.is_list) return print(figures_text()) ? kExitFine : kExitCouldNotRun;
  const auto conditions = parse_conditions(arguments.conditions);
  if (!conditions) return fail(conditions.error());
  if (!arguments.history.empty()) {
    if (arguments.runs.empty() && conditions->empty()) return show_history(arguments);
    return fail({Errc::invalid_argument, "--history takes a folder, no runs and no conditions",
                 "`meridian compare --help` shows how"});
  }
  if (arguments.runs.size() < 2)
    return fail({Errc::invalid_argument, "there are not two runs to compare",
                 "meridian compare BEFORE AFTER; repeats of one run are separated by commas: A1,A2,A3 B1,B2,B3"});
  auto groups = load_groups(arguments.runs);
  if (!groups) return fail(groups.error());
  ComparisonReport report = compare_all(*std::move(groups), arguments.is_weak);
  auto checked = check_conditions(*conditions, report.groups.front().runs, report.groups.back().runs);
  if (!checked) return fail(checked.error());
  report.conditions = *std::move(checked);
  const bool is_printed = arguments.is_json ? print(comparison_json(report))
                          : arguments.is_csv
                              ? print(comparison_csv(report))
                              : print(comparison_text(report, Paint{wants_colour(STDOUT_FILENO)}, arguments.rows));
  if (!is_printed) return kExitCouldNotRun;
  return report_conditions(report.conditions) ? kExitConditionIsTrue : kExitFine;
}

}  // namespace

Command compare_command() {
  const auto arguments = std::make_shared<CompareArguments>();
  Command command{"compare", "Show what changed between runs", {}, [arguments] { return compare(*arguments); }};
  command.options = {
      {"runs", "RUN", "merged.h5 or its directory; repeats separated by commas: LABEL=A1,A2,A3", &arguments->runs},
      {"--weak", "", "The work grows with the ranks: weak scaling", &arguments->is_weak},
      {"--history", "FOLDER", "Instead: one line for each run in a folder, in the order of time", &arguments->history},
      {"--rows", "N", "Rows of each section of the text (default: 10)", &arguments->rows, Positive{}}};
  add_condition_options(command, arguments->conditions);
  add_form_options(command, arguments->is_csv, arguments->is_json);
  command.footer = "Exit codes: 0 success, 1 could not run, 2 a condition of --fail-if is true.";
  return command;
}

}  // namespace meridian
