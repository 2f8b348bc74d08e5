// SPDX-License-Identifier: Apache-2.0
#pragma once

// --fail-if and --list-figures of `compare` and `stats`.

#include <span>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "summary/compare/condition.hpp"

namespace meridian {

struct ConditionOptions {
  std::vector<std::string> fail_if;
  bool is_list = false;  ///< only print the figures
};
void add_condition_options(Command& command, ConditionOptions& options);

/// The conditions of the command line.
Result<std::vector<Condition>> parse_conditions(const ConditionOptions& options);

/// Evaluates all of them on `after`; `before` may be empty.
Result<std::vector<CheckedCondition>> check_conditions(const std::vector<Condition>& conditions,
                                                       std::span<const RunProfile> before,
                                                       std::span<const RunProfile> after);

/// Reports those that are true on standard error. Returns whether there is one.
bool report_conditions(const std::vector<CheckedCondition>& conditions);

/// The names, units and meanings of all figures.
std::string figures_text();

}  // namespace meridian
