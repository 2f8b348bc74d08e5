#pragma once

// The options --csv, --json and what they mean, shared by `merge` and `stats`.

#include "trace/format/summary.hpp"

namespace CLI {
class App;
}

namespace meridian {

struct PrintOptions {
  bool csv = false;
  bool json = false;
};

void add_print_options(CLI::App& command, PrintOptions& options);

/// Prints the summary and returns the exit code: 2 when a finding is an error.
int print_summary(const Summary& summary, const PrintOptions& options);

/// 0, or 2 when a finding is an error.
int exit_code(const Summary& summary);

}  // namespace meridian
