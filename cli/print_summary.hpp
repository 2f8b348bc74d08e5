// SPDX-License-Identifier: Apache-2.0
#pragma once

// The options --csv, --json and --sites with their output, shared by `merge` and `stats`.

#include "cli/command.hpp"
#include "cli/summary/text.hpp"
#include "summary/summary.hpp"

namespace meridian {

struct PrintOptions {
  bool csv = false;
  bool json = false;
  std::size_t sites = kTopSites;  ///< rows of the table of call sites
};

void add_print_options(Command& command, PrintOptions& options);

/// Prints the summary and returns the exit code: 2 if a finding is an error.
int print_summary(const Summary& summary, const PrintOptions& options);

/// 0, or 2 if a finding is an error.
int exit_code(const Summary& summary);

}  // namespace meridian
