// SPDX-License-Identifier: Apache-2.0
#include "cli/print_summary.hpp"

#include <unistd.h>

#include "cli/output.hpp"
#include "cli/summary/csv.hpp"
#include "cli/summary/json.hpp"
#include "cli/summary/text.hpp"
#include "summary/measures.hpp"

namespace meridian {

void add_print_options(Command& command, PrintOptions& options) {
  command.options.push_back({"--csv", "", "Print tables of comma-separated values", &options.csv});
  command.options.push_back({.names = "--json",
                             .help = "Print one JSON object and nothing else",
                             .target = &options.json,
                             .excludes = "--csv"});
}

int exit_code(const Summary& summary) {
  return count_findings(summary, Severity::error) == 0 ? kExitFine : kExitTraceHasErrors;
}

int print_summary(const Summary& summary, const PrintOptions& options) {
  const bool is_printed = options.json ? print(summary_json(summary))
                          : options.csv
                              ? print(summary_csv(summary))
                              : print(summary_text(summary, Paint{wants_colour(STDOUT_FILENO)}, options.sites));
  return is_printed ? exit_code(summary) : kExitCouldNotRun;
}

}  // namespace meridian
