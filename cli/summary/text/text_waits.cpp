// SPDX-License-Identifier: Apache-2.0
// Sections about waits: where ranks waited for each other, who waited for whom, and what made them wait.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "cli/summary/printable.hpp"
#include "cli/summary/table.hpp"
#include "cli/summary/text/text.hpp"
#include "summary/recorded_part.hpp"
#include "summary/units.hpp"

namespace meridian {
namespace {

/// Waits of all ranks in one place.
struct WaitGroup {
  double total_s = 0;
  std::map<std::int32_t, double> causers;  ///< rank -> time
};

/// Threads without work wait so, and other threads of the rank work meanwhile.
bool may_be_idle(std::string_view pattern) {
  return pattern == "wait for signal" || pattern == "wait for semaphore" || pattern == "wait for join";
}

/// The start and the end of a run have no part in shares, as in the other sections; nor have idle threads.
bool is_in_share(std::string_view pattern) {
  return pattern != "wait at init" && pattern != "wait at finalize" && !may_be_idle(pattern);
}

std::string main_causer(const WaitGroup& group) {
  const auto most = std::ranges::max_element(group.causers, {}, [](const auto& causer) { return causer.second; });
  if (most->first < 0) return "several";
  return fmt::format("rank {} ({:.0f} %)", most->first, 100 * most->second / group.total_s);
}

/// An activity that made ranks wait, on all ranks.
struct Delay {
  double short_s = 0, long_s = 0;
  std::map<std::int32_t, double> ranks;  ///< rank -> time
  double all_s() const { return short_s + long_s; }
};

}  // namespace

std::string waits_section(const Summary& summary, const Paint& paint, std::size_t most) {
  std::map<std::tuple<std::string, std::string, std::string>, WaitGroup> groups;
  double all_s = 0;
  std::uint64_t unresolved = 0;
  for (const WaitSummary& row : summary.waits) {
    unresolved += row.unresolved;
    if (row.count == 0) continue;
    WaitGroup& group = groups[{row.pattern, row.function, row.place}];
    group.total_s += row.total_s;
    group.causers[row.causer] += row.total_s;
    if (is_in_share(row.pattern)) all_s += row.total_s;
  }
  if (groups.empty()) return {};
  std::vector<const decltype(groups)::value_type*> sorted;
  sorted.reserve(groups.size());
  for (const auto& entry : groups) sorted.push_back(&entry);
  const auto order = [](const auto* entry) {
    return std::pair{may_be_idle(std::get<0>(entry->first)), -entry->second.total_s};
  };
  std::ranges::stable_sort(sorted, [&](const auto* a, const auto* b) { return order(a) < order(b); });
  const std::size_t shown = std::min(most, sorted.size());

  Table table{{{"called at", Align::left, Shortening::place},
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
  std::string result = paint.heading(fmt::format("WAIT STATES ({}; share: of {}{})", how_many(shown, sorted.size()),
                                                 human_duration(all_s), measured_time(summary))) +
                       "\n" + table.text([&](const std::string& line) { return paint.title(line); });
  if (unresolved != 0)
    result += fmt::format("  {} further waits are shorter than the bounds of the clocks\n", human_count(unresolved));
  return result;
}

std::string wait_pairs_section(const Summary& summary, const Paint& paint) {
  const std::vector<WaitPairSummary>& pairs = summary.wait_pairs;
  if (pairs.size() < 2) return {};  // the section before says it all
  const std::size_t shown = std::min(kTopRows, pairs.size());
  Table table{{{"rank"}, {"waited for"}, {"waits"}, {"total"}, {"share"}}};
  for (std::size_t i = 0; i < shown; ++i) {
    const WaitPairSummary& row = pairs[i];
    table.add({std::to_string(row.rank), row.causer < 0 ? "several" : fmt::format("rank {}", row.causer),
               human_count(row.count), human_duration(row.total_s), human_percent(row.share)});
  }
  return paint.heading(fmt::format("WAITS BY PAIRS OF RANKS ({})", how_many(shown, pairs.size()))) + "\n" +
         table.text([&](const std::string& line) { return paint.title(line); });
}

std::string delays_section(const Summary& summary, const Paint& paint) {
  std::map<std::tuple<std::string, std::string, std::string, std::string>, Delay> groups;
  double all_s = 0;
  for (const DelaySummary& row : summary.delays) {
    Delay& delay = groups[{row.what, row.region, row.function, row.place}];
    delay.short_s += row.short_term_s;
    delay.long_s += row.long_term_s;
    delay.ranks[row.rank] += row.short_term_s + row.long_term_s;
    all_s += row.short_term_s + row.long_term_s;
  }
  if (!(all_s > 0)) return {};
  std::vector<const decltype(groups)::value_type*> sorted;
  sorted.reserve(groups.size());
  for (const auto& entry : groups) sorted.push_back(&entry);
  std::ranges::stable_sort(sorted, [](const auto* a, const auto* b) { return a->second.all_s() > b->second.all_s(); });
  const std::size_t shown = std::min(kTopRows, sorted.size());
  Table table{{{"late in", Align::left, Shortening::function},
               {"at", Align::left, Shortening::place},
               {"region", Align::left},
               {"direct"},
               {"passed on"},
               {"share"},
               {"mostly"}}};
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& [key, delay] = *sorted[i];
    const auto& [what, region, function, place] = key;
    const std::string name = what == "call" ? printable(function) : what == "ready" ? "no processor" : "compute";
    const auto most = std::ranges::max_element(delay.ranks, {}, [](const auto& rank) { return rank.second; });
    table.add({name, place.empty() ? "" : (what == "call" ? "" : "after ") + printable(place), printable(region),
               human_duration(delay.short_s), human_duration(delay.long_s), human_percent(delay.all_s() / all_s),
               fmt::format("rank {} ({:.0f} %)", most->first, 100 * most->second / delay.all_s())});
  }
  return paint.heading(fmt::format("ROOT CAUSES OF WAITS ({}; share: of {} waited)", how_many(shown, sorted.size()),
                                   human_duration(all_s))) +
         "\n" + table.text([&](const std::string& line) { return paint.title(line); });
}

}  // namespace meridian
