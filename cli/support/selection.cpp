// SPDX-License-Identifier: Apache-2.0
#include "cli/support/selection.hpp"

#include <algorithm>

namespace meridian {

Result<TraceSelection> parse_selection(const SelectionArguments& arguments, const MergedDefinitions& names) {
  TraceSelection selection{.functions = arguments.functions, .regions = arguments.regions};
  if (!arguments.ranks.empty()) {
    MERIDIAN_TRY(selection.ranks, parse_ranks(arguments.ranks));
  }
  if (!arguments.from.empty()) {
    MERIDIAN_TRY(selection.from_ns, parse_moment(arguments.from));
  }
  if (!arguments.to.empty()) {
    MERIDIAN_TRY(selection.to_ns, parse_moment(arguments.to));
  }
  const auto matches = [&](const std::string& pattern, bool is_region) {
    return pattern.empty() || std::ranges::any_of(names.calls, [&](const MergedCall& call) {
             return !call.name.empty() && (!is_region || call.group == "user") && matches_name(pattern, call.name);
           });
  };
  if (std::ranges::none_of(names.ranks, [&](const MergedRank& rank) { return selection.has_rank(rank.rank); }) &&
      !names.ranks.empty())
    return Error{Errc::invalid_argument, "--ranks " + arguments.ranks + ": the trace has no such rank", ""};
  if (selection.to_ns <= selection.from_ns)
    return Error{Errc::invalid_argument, "--to " + arguments.to + " is not after --from " + arguments.from, ""};
  if (!matches(selection.functions, false))
    return Error{Errc::invalid_argument, "--functions " + arguments.functions + ": the trace has no such function",
                 "`meridian stats --section functions` lists them; * and ? are wildcards, commas separate names"};
  if (!matches(selection.regions, true))
    return Error{Errc::invalid_argument, "--regions " + arguments.regions + ": the trace has no such region",
                 "`meridian stats --all` lists them; * and ? are wildcards, commas separate names"};
  return selection;
}

}  // namespace meridian
