// SPDX-License-Identifier: Apache-2.0
// meridian stats: prints the summary of a merged trace.

#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "cli/conditions.hpp"
#include "cli/output.hpp"
#include "cli/print_summary.hpp"
#include "cli/summary/text/text.hpp"
#include "cli/summary_source.hpp"

namespace meridian {
namespace {

struct StatsArguments {
  std::string path;
  PrintOptions print;
  ConditionOptions conditions;
  bool columns = false;
};

/// Whether a condition of --fail-if is true; those that are have been reported.
Result<bool> is_failed(const std::vector<Condition>& conditions, const Summary& summary, const std::string& path) {
  if (conditions.empty()) return false;
  const std::vector<RunProfile> run{profile_of(summary, path.empty() ? kLatest : path)};
  MERIDIAN_TRY(const std::vector<CheckedCondition> checked, check_conditions(conditions, {}, run));
  return report_conditions(checked);
}

int stats(const StatsArguments& arguments) {
  if (arguments.columns) return print(columns_text()) ? kExitFine : kExitCouldNotRun;
  if (const Status checked = check_print_options(arguments.print); !checked) return fail(checked.error());
  if (arguments.conditions.is_list) return print(figures_text()) ? kExitFine : kExitCouldNotRun;
  const auto conditions = parse_conditions(arguments.conditions);
  if (!conditions) return fail(conditions.error());
  const auto summary = load_summary(arguments.path);
  if (!summary) return fail(summary.error());
  // Conditions are for scripts: their results are all that is printed, unless more is asked for.
  const bool is_quiet = !conditions->empty() && !arguments.print.is_any_given();
  const int code = is_quiet ? exit_code(*summary) : print_summary(*summary, arguments.print);
  if (is_quiet && code != kExitFine)
    report({Errc::damaged, "the trace has errors", fmt::format("meridian check '{}'", arguments.path)});
  const auto failed = is_failed(*conditions, *summary, arguments.path);
  if (!failed) return fail(failed.error());
  return *failed && code == kExitFine ? kExitConditionIsTrue : code;
}

}  // namespace

Command stats_command() {
  const auto arguments = std::make_shared<StatsArguments>();
  Command command{"stats", "Print the summary of a merged trace", {}, [arguments] { return stats(*arguments); }};
  command.options = {{"trace", "PATH", "merged.h5 or its directory (default: latest)", &arguments->path}};
  add_print_options(command, arguments->print);
  command.options.push_back(
      {"--sites", "N", "Print all sections, with N call sites instead of 10", &arguments->print.sites, Positive{}});
  command.options.push_back(
      {"--columns", "", "Say what the tables and columns of --csv and --json are", &arguments->columns});
  add_condition_options(command, arguments->conditions);
  return command;
}

}  // namespace meridian
