#pragma once

// The options --csv, --json and what they mean, shared by `merge` and `stats`.

#include "cli/summary/text.hpp"
#include "trace/format/summary.hpp"

namespace CLI {
class App;
}

namespace meridian {

struct PrintOptions {
  bool csv = false;
  bool json = false;
  std::size_t sites = kTopSites;  ///< rows of the table of call sites
};

void add_print_options(CLI::App& command, PrintOptions& options);

/// Prints the summary and returns the exit code: 2 when a finding is an error.
int print_summary(const Summary& summary, const PrintOptions& options);

/// 0, or 2 when a finding is an error.
int exit_code(const Summary& summary);

}  // namespace meridian
