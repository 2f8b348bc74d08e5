// SPDX-License-Identifier: Apache-2.0
// Section WAIT STATES: where ranks waited for each other, and which rank they waited for.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "cli/summary/printable.hpp"
#include "cli/summary/table.hpp"
#include "cli/summary/text.hpp"
#include "summary/units.hpp"

namespace meridian {
namespace {

/// Waits of all ranks in one place.
struct Group {
  double total_s = 0;
  std::map<std::int32_t, double> causers;  ///< rank -> time
};

/// The start and the end of a run have no part in shares, as in the other sections.
bool is_in_share(std::string_view pattern) { return pattern != "wait at init" && pattern != "wait at finalize"; }

std::string main_causer(const Group& group) {
  const auto most = std::ranges::max_element(group.causers, {}, [](const auto& causer) { return causer.second; });
  if (most->first < 0) return "several";
  return fmt::format("rank {} ({:.0f} %)", most->first, 100 * most->second / group.total_s);
}

}  // namespace

std::string waits_section(const Summary& summary, const Paint& paint) {
  std::map<std::tuple<std::string, std::string, std::string>, Group> groups;
  double all_s = 0;
  std::uint64_t unresolved = 0;
  for (const WaitSummary& row : summary.waits) {
    unresolved += row.unresolved;
    if (row.count == 0) continue;
    Group& group = groups[{row.pattern, row.function, row.place}];
    group.total_s += row.total_s;
    group.causers[row.causer] += row.total_s;
    if (is_in_share(row.pattern)) all_s += row.total_s;
  }
  if (groups.empty()) return {};
  std::vector<const decltype(groups)::value_type*> sorted;
  sorted.reserve(groups.size());
  for (const auto& entry : groups) sorted.push_back(&entry);
  std::ranges::stable_sort(sorted, [](const auto* a, const auto* b) { return a->second.total_s > b->second.total_s; });
  const std::size_t shown = std::min(kTopRows, sorted.size());

  Table table{{{"called at", Align::left},
               {"in", Align::left, Shortening::function},
               {"wait", Align::left},
               {"total"},
               {"share"},
               {"mostly for"}}};
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& [key, group] = *sorted[i];
    const auto& [pattern, function, place] = key;
    table.add({printable(place), printable(function), printable(pattern), human_duration(group.total_s),
               is_in_share(pattern) ? human_percent(group.total_s / all_s) : "", main_causer(group)});
  }
  const std::string how_many =
      shown == sorted.size() ? fmt::format("all {}", shown) : fmt::format("{} of {}", shown, sorted.size());
  std::string result = paint.heading(fmt::format("WAIT STATES ({}; share: of {} between MPI_Init and MPI_Finalize)",
                                                 how_many, human_duration(all_s))) +
                       "\n" + table.text([&](const std::string& line) { return paint.title(line); });
  if (unresolved != 0)
    result += fmt::format("  {} further waits are shorter than the bounds of the clocks\n", human_count(unresolved));
  return result;
}

}  // namespace meridian
