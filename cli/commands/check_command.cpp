// SPDX-License-Identifier: Apache-2.0
// meridian check: prints only the findings of a merged trace.

#include <unistd.h>

#include <memory>

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/print_summary.hpp"
#include "cli/summary/json.hpp"
#include "cli/summary/text/text.hpp"
#include "cli/summary_source.hpp"

namespace meridian {
namespace {

struct CheckArguments {
  std::string path;
  bool is_json = false;
};

int check(const CheckArguments& arguments) {
  const auto summary = load_summary(arguments.path);
  if (!summary) return fail(summary.error());
  if (arguments.is_json) return print(findings_json(*summary)) ? exit_code(*summary) : kExitCouldNotRun;
  return print(findings_text(*summary, Paint{wants_colour(STDOUT_FILENO)})) ? exit_code(*summary) : kExitCouldNotRun;
}

}  // namespace

Command check_command() {
  const auto arguments = std::make_shared<CheckArguments>();
  return {"check",
          "Print the findings of a merged trace; exit code 2 on errors",
          {{"trace", "PATH", "merged.h5 or its directory (default: latest)", &arguments->path},
           {"--json", "", "Print one JSON object and nothing else", &arguments->is_json}},
          [arguments] { return check(*arguments); }};
}

}  // namespace meridian
