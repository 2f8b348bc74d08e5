// SPDX-License-Identifier: Apache-2.0
#pragma once

// The output of `meridian compare`.

#include <string>
#include <vector>

#include "cli/summary/text/text.hpp"
#include "summary/compare/comparison.hpp"
#include "summary/compare/condition.hpp"
#include "summary/compare/scaling.hpp"

namespace meridian {

inline constexpr int kComparisonJsonVersion = 1;

struct ComparisonReport {
  std::vector<RunGroup> groups;         ///< two or more
  std::vector<Comparison> comparisons;  ///< of each further group with the first one
  std::vector<ScalingRow> scaling;      ///< empty: all groups have the same scale
  bool is_weak = false;
  std::vector<std::string> notes;  ///< sentences on what limits the comparison
  std::vector<CheckedCondition> conditions;
};

/// Compares all groups; `conditions` remain empty.
ComparisonReport compare_all(std::vector<RunGroup> groups, bool is_weak);

/// rows  the most rows of each section
std::string comparison_text(const ComparisonReport& report, const Paint& paint, std::size_t rows);
std::string comparison_json(const ComparisonReport& report);
std::string comparison_csv(const ComparisonReport& report);

/// The last sentence: of the problems that went, came, shrank or grew in the last group, the largest of each kind with its cost.
std::string closing_sentence(const ComparisonReport& report);

/// A sentence on how the time of the run changed, and whether that is more than noise.
std::string describe_time(const RunGroup& before, const RunGroup& after, const Comparison& comparison);

}  // namespace meridian
