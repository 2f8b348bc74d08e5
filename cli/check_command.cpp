// SPDX-License-Identifier: Apache-2.0
// meridian check: prints only the findings of a merged trace.

#include <unistd.h>

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

Command check_command() {
  const auto path = std::make_shared<std::string>();
  return {"check",
          "Print the findings of a merged trace; exit code 2 on errors",
          {{"trace", "PATH", "merged.h5 or its directory (default: latest)", path.get()}},
          [path] { return check(*path); }};
}

}  // namespace meridian
