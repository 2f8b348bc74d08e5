// meridian check: the findings of a merged trace, and nothing else.

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/print_summary.hpp"
#include "cli/summary/text.hpp"
#include "cli/summary_source.hpp"

namespace meridian {
namespace {

int check(const std::string& path) {
  const auto summary = load_summary(path);
  if (!summary) return fail(summary.error());
  return print(findings_text(*summary, Paint{wants_colour(STDOUT_FILENO)})) ? exit_code(*summary) : kExitCouldNotRun;
}

}  // namespace

void add_check(CLI::App& app, Action& chosen) {
  CLI::App* const command =
      app.add_subcommand("check", "Print what is wrong with a merged trace; exit code 2 on errors");
  const auto path = std::make_shared<std::string>();
  command->add_option("trace", *path, "merged.h5 or its directory (default: latest)")->type_name("PATH");
  command->callback([path, &chosen] { chosen = [path] { return check(*path); }; });
}

}  // namespace meridian
