// SPDX-License-Identifier: Apache-2.0
#include "summary/problems/problem_window_locks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "summary/units.hpp"

namespace meridian {
namespace {

constexpr double kMainHolder =
    0.6;  ///< share of the time in which the target is locked, for one holder to be the cause
constexpr std::size_t kMostHolders = 4;  ///< holders

}  // namespace

LockedTarget worst_locked_target(const Summary& summary, const std::set<std::int32_t>& causers) {
  using Key = std::tuple<std::string, std::string, std::int32_t>;
  const auto key_of = [](const WindowLockSummary& row) { return Key{row.window, row.comm, row.target}; };
  std::map<Key, std::uint64_t> waits;
  for (const WindowLockSummary& row : summary.window_locks)
    if (causers.contains(row.rank)) waits[key_of(row)] += row.waits;
  const auto worst = std::ranges::max_element(waits, {}, [](const auto& each) { return each.second; });
  LockedTarget locked;
  if (worst == waits.end() || worst->second == 0) return locked;
  std::tie(locked.window, locked.comm, locked.target) = worst->first;
  double most_s = -1;
  for (const WindowLockSummary& row : summary.window_locks) {
    if (key_of(row) != worst->first) continue;
    if (row.waits != 0) locked.holders.insert(row.rank);
    locked.holds += row.holds;
    locked.hold_s += row.hold_s;
    locked.longest_s = std::max(locked.longest_s, row.longest_hold_s);
    if (row.hold_s > most_s) {
      most_s = row.hold_s;
      locked.main_holder = row.rank;
    }
  }
  if (most_s < kMainHolder * locked.hold_s) locked.main_holder = -1;
  return locked;
}

std::string describe_target(const LockedTarget& locked) {
  const std::string memory = locked.target < 0 ? std::string{"all memory"}
                                               : fmt::format("the memory of rank {}{}", locked.target,
                                                             locked.comm.empty() ? "" : " of " + locked.comm);
  return locked.window.empty() ? fmt::format("of {} in a window", memory)
                               : fmt::format("of {} in window {}", memory, locked.window);
}

std::string describe_holds(const LockedTarget& locked) {
  if (locked.holders.empty() || locked.holds == 0) return {};
  const std::string times =
      fmt::format("{} {}, {} on average, longest {}", human_count(locked.holds), locked.holds == 1 ? "time" : "times",
                  human_duration(locked.hold_s / static_cast<double>(locked.holds)), human_duration(locked.longest_s));
  if (locked.main_holder >= 0) return fmt::format(" It is held {}.", times);
  if (locked.holders.size() > kMostHolders)
    return fmt::format(" {} ranks hold it in turn: {}.", locked.holders.size(), times);
  return fmt::format(" Ranks {} hold it in turn: {}.", fmt::join(locked.holders, ", "), times);
}

}  // namespace meridian
