// meridian stats: prints the summary of a merged trace again.

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/print_summary.hpp"
#include "cli/summary_source.hpp"

namespace meridian {
namespace {

struct StatsArguments {
  std::string path;
  PrintOptions print;
};

int stats(const StatsArguments& arguments) {
  const auto summary = load_summary(arguments.path);
  return summary ? print_summary(*summary, arguments.print) : fail(summary.error());
}

}  // namespace

void add_stats(CLI::App& app, Action& chosen) {
  CLI::App* const command = app.add_subcommand("stats", "Print the summary of a merged trace again");
  const auto arguments = std::make_shared<StatsArguments>();
  command->add_option("trace", arguments->path, "merged.h5 or its directory (default: latest)")->type_name("PATH");
  add_print_options(*command, arguments->print);
  command->add_option("--sites", arguments->print.sites, "Call sites in the text (default: 10)")->type_name("N");
  command->callback([arguments, &chosen] { chosen = [arguments] { return stats(*arguments); }; });
}

}  // namespace meridian
