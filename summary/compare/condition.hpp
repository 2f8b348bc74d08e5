// SPDX-License-Identifier: Apache-2.0
#pragma once

// Conditions on the figures of a run: --fail-if 'parallel_efficiency < 0.8'.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "summary/compare/run_profile.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// NAME OP NUMBER, where NUMBER may end with % (0.8 is 80 %) or with x (times the value before).
struct Condition {
  enum class Operator : std::uint8_t { less, at_most, more, at_least, equal, different };

  std::string text;  ///< as the user wrote it
  std::string name;
  Operator op{};
  double number = 0;
  bool is_percent = false;  ///< the number was given as a percentage
  bool is_ratio = false;    ///< the number is the quotient of the values after and before
};

/// errors  invalid_argument: not of that form
Result<Condition> parse_condition(std::string_view text);

/// Whether a condition holds, with the values.
struct Verdict {
  bool is_true = false;
  std::string sentence;  ///< "parallel_efficiency is 0.53, which is < 0.8"; empty unless it is true
};

struct CheckedCondition {
  std::string text;  ///< as given
  Verdict verdict;
};

/// Means over the repeats count.
///
/// before    runs with which `after` is compared; empty: there is only one
/// errors    those of figure_of(); not_found: a run does not have the figure; invalid_argument: a ratio without `before`
Result<Verdict> evaluate(const Condition& condition, std::span<const RunProfile> before,
                         std::span<const RunProfile> after, std::span<const std::string_view> problems);

}  // namespace meridian
