// SPDX-License-Identifier: Apache-2.0
#pragma once

// The options that choose what of a summary is printed, with their output; shared by `merge` and `stats`.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "summary/summary.hpp"
#include "trace/model/result.hpp"

namespace meridian {

struct PrintOptions {
  bool csv = false;
  bool json = false;
  bool all = false;                   ///< all sections
  std::vector<std::string> sections;  ///< only these
  std::uint64_t sites = 0;            ///< rows of the table of call sites; 0: as many as usual

  bool is_any_given() const { return csv || json || all || !sections.empty() || sites != 0; }
};

/// errors  invalid_argument: there is no such section
Status check_print_options(const PrintOptions& options);

/// --csv and --json, for any command with tables.
void add_form_options(Command& command, bool& is_csv, bool& is_json);

void add_print_options(Command& command, PrintOptions& options);

/// Prints the summary, by default its most important sections. Returns the exit code.
int print_summary(const Summary& summary, const PrintOptions& options);

/// 0, or 2 if a finding is an error, or calls were lost.
int exit_code(const Summary& summary);

}  // namespace meridian
