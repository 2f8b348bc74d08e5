// SPDX-License-Identifier: Apache-2.0
// meridian where: what every rank is doing now, or was doing when it ended.

#include <filesystem>
#include <memory>

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/summary_source.hpp"
#include "cli/where/complete_report.hpp"
#include "cli/where/where_text.hpp"

namespace meridian {
namespace {

struct WhereArguments {
  std::string directory = kLatest;
  bool is_json = false;
};

int where(const WhereArguments& arguments) {
  std::error_code problem;
  const bool is_there = std::filesystem::exists(arguments.directory, problem);
  if (problem) return fail(unreadable_trace(arguments.directory, problem));
  if (!is_there) return fail(missing_trace(arguments.directory == kLatest ? "" : arguments.directory));
  auto report = complete_report(arguments.directory);
  if (!report) return fail(report.error());
  if (!print(arguments.is_json ? where_json(*report) : where_text(*report))) return kExitCouldNotRun;
  return report->deadlock.threads.empty() ? kExitFine : kExitTraceHasErrors;
}

}  // namespace

Command where_command() {
  const auto arguments = std::make_shared<WhereArguments>();
  return {"where",
          "Show what every rank is doing now or did last, and who waits for whom",
          {{"directory", "DIR", "Directory of the trace (default: latest)", &arguments->directory},
           {"--json", "", "Print one JSON object and nothing else", &arguments->is_json}},
          [arguments] { return where(*arguments); },
          "Exit codes: 0 success, 1 could not run, 2 there is a deadlock."};
}

}  // namespace meridian
