// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/compare/report.hpp"

namespace meridian {
namespace {

/// Sentences on what limits the comparison.
std::vector<std::string> find_notes(const std::vector<RunGroup>& groups) {
  std::vector<std::string> notes;
  const RunProfile& first = groups.front().runs.front();
  const auto differ = [&](auto member) {
    return std::ranges::any_of(groups, [&](const RunGroup& group) {
      return std::ranges::any_of(group.runs, [&](const RunProfile& run) { return run.*member != first.*member; });
    });
  };
  if (differ(&RunProfile::is_profile))
    notes.push_back("Some runs are profiles, others traces: problems, waits, states and regions are not compared.");
  if (differ(&RunProfile::has_samples))
    notes.push_back("Some runs have no samples: functions of the program are not compared.");
  if (differ(&RunProfile::executable)) notes.push_back("The programs have different names.");
  if (differ(&RunProfile::ranks))
    notes.push_back("The numbers of ranks differ: changes in seconds are those of a mean rank.");
  for (const RunGroup& group : groups)
    for (const RunProfile& run : group.runs) {
      const auto errors = figure_of(run, "errors", {});
      if (errors && *errors > 0)
        notes.push_back(fmt::format("'{}' has errors, so that its figures may be wrong: `meridian check '{}'`.",
                                    run.source, run.source));
    }
  return notes;
}

}  // namespace

ComparisonReport compare_all(std::vector<RunGroup> groups, bool is_weak) {
  ComparisonReport report;
  report.groups = std::move(groups);
  report.is_weak = is_weak;
  report.notes = find_notes(report.groups);
  for (std::size_t i = 1; i < report.groups.size(); ++i)
    report.comparisons.push_back(compare_groups(report.groups.front(), report.groups[i]));
  if (is_weak || have_several_scales(report.groups)) report.scaling = scaling_of(report.groups, is_weak);
  return report;
}

}  // namespace meridian
