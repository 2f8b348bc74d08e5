// SPDX-License-Identifier: Apache-2.0
// meridian stats: prints the summary of a merged trace.

#include <memory>

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/print_summary.hpp"
#include "cli/summary/text.hpp"
#include "cli/summary_source.hpp"

namespace meridian {
namespace {

struct StatsArguments {
  std::string path;
  PrintOptions print;
  bool columns = false;
};

int stats(const StatsArguments& arguments) {
  if (arguments.columns) return print(columns_text()) ? kExitFine : kExitCouldNotRun;
  if (const Status checked = check_print_options(arguments.print); !checked) return fail(checked.error());
  const auto summary = load_summary(arguments.path);
  return summary ? print_summary(*summary, arguments.print) : fail(summary.error());
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
  return command;
}

}  // namespace meridian
