// SPDX-License-Identifier: Apache-2.0
// meridian check: prints only the findings of a merged trace; with --all also what is damaged in its files.

#include <unistd.h>

#include <memory>

#include "cli/check_files.hpp"
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
  bool is_json = false, is_all = false;
};

/// Reads the files before their summary, which may be in a damaged one.
int check_all(const CheckArguments& arguments) {
  const auto files = check_files(arguments.path);
  if (!files) return fail(files.error());
  const auto summary = load_summary(arguments.path);
  const bool is_merged = summary || summary.error().code != Errc::not_found;
  const Paint paint{wants_colour(STDOUT_FILENO)};
  std::string text =
      arguments.is_json ? checked_json(summary ? *summary : Summary{}, *files) : files_text(*files, paint);
  if (!arguments.is_json && summary) text += "\n" + findings_text(*summary, paint);
  if (!print(text)) return kExitCouldNotRun;
  if (!files->damaged.empty()) return kExitTraceHasErrors;
  if (summary) return exit_code(*summary);
  return is_merged ? fail(summary.error()) : kExitFine;
}

int check(const CheckArguments& arguments) {
  if (arguments.is_all) return check_all(arguments);
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
           {"--all", "", "Also read everything in all files of the directory, and name the rows that are damaged",
            &arguments->is_all},
           {"--json", "", "Print one JSON object and nothing else", &arguments->is_json}},
          [arguments] { return check(*arguments); }};
}

}  // namespace meridian
