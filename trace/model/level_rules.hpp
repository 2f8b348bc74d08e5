// SPDX-License-Identifier: Apache-2.0
#pragma once

// The selection of MERIDIAN_LEVELS: groups, presets, calls by name and user events, with * and ?. No allocation, only
// standard headers.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "trace/model/call_id.hpp"
#include "trace/model/nearest_name.hpp"

namespace meridian {

/// A name for several groups; the groups are separated by blanks.
struct Preset {
  std::string_view name;
  std::string_view groups;
  std::string_view text;
};
inline constexpr std::array<Preset, 6> kPresets{{
    {"basic", "p2p request coll comm env lock thread openmp user",
     "messages, collectives, locks and the program's own events"},
    {"sync", "request coll rma lock openmp env", "where ranks and threads wait for each other"},
    {"comm", "p2p request coll comm topo rma env", "all communication"},
    {"threads", "thread lock openmp sleep", "threads, locks, OpenMP and sleep"},
    {"complete", "*", "everything"},
    {"free", "user", "nothing but the program's own events"},
}};

/// Prefix of user events in a list: "user:pool.STEAL_REQUEST".
inline constexpr std::string_view kUserPrefix = "user:";

/// Whether `text` matches `pattern`: * stands for any number of letters, ? for one; case is ignored.
constexpr bool matches_glob(std::string_view pattern, std::string_view text) noexcept {
  std::size_t p = 0, t = 0, star = std::string_view::npos, resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || ascii_upper(pattern[p]) == ascii_upper(text[t]))) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

/// Whether the blank-separated list has a pattern that matches `word`.
constexpr bool has_word(std::string_view list, std::string_view word) noexcept {
  while (!list.empty()) {
    std::size_t end = 0;
    while (end < list.size() && list[end] != ' ') ++end;
    if (matches_glob({list.data(), end}, word)) return true;
    list.remove_prefix(end < list.size() ? end + 1 : end);
  }
  return false;
}

/// A call ("MPI_Send", p2p) or a user event (its name, user, its level).
struct Choosable {
  std::string_view name;
  std::string_view group;
  std::string_view level{};  ///< of a user event; empty: a call
};

/// Whether the pattern matches a user event: "pool" and "pool.STEAL*" match STEAL_REQUEST of the level pool.
constexpr bool names_user_event(std::string_view pattern, std::string_view level, std::string_view name) noexcept {
  if (matches_glob(pattern, level)) return true;
  for (std::size_t dot = 0; dot < pattern.size(); ++dot)
    if (pattern[dot] == '.' && matches_glob({pattern.data(), dot}, level) &&
        matches_glob({pattern.data() + dot + 1, pattern.size() - dot - 1}, name))
      return true;
  return false;
}

/// Whether an item of a list, without its sign, matches `what`.
constexpr bool item_chooses(std::string_view item, const Choosable& what) noexcept {
  if (same_name(item, "all")) return true;
  if (same_name(item, what.group)) return true;
  for (const Preset& preset : kPresets)
    if (same_name(item, preset.name)) return has_word(preset.groups, what.group);
  if (what.level.empty()) return matches_glob(item, what.name);
  const bool is_user = item.size() > kUserPrefix.size() && same_name({item.data(), kUserPrefix.size()}, kUserPrefix);
  return is_user &&
         names_user_event({item.data() + kUserPrefix.size(), item.size() - kUserPrefix.size()}, what.level, what.name);
}

/// Whether an item can match anything: it is a keyword, a group, a preset, a call, or `user:...`.
constexpr bool is_item(std::string_view item) noexcept {
  if (same_name(item, "none") || same_name(item, "all")) return true;
  for (std::size_t i = 1; i < kGroups.size(); ++i)
    if (same_name(item, kGroups[i].name)) return true;
  for (const Preset& preset : kPresets)
    if (same_name(item, preset.name)) return true;
  if (item.size() > kUserPrefix.size() && same_name({item.data(), kUserPrefix.size()}, kUserPrefix)) return true;
  for (std::size_t i = 1; i < kCallCount; ++i)
    if (matches_glob(item, kCalls[i].name)) return true;
  return false;
}

/// Removes the first item from a comma-separated list and returns it without blanks and sign; `is_removal` is set for a
/// minus.
constexpr std::string_view take_level_item(std::string_view& list, bool& is_removal) noexcept {
  std::size_t end = 0;
  while (end < list.size() && list[end] != ',') ++end;
  std::string_view item{list.data(), end};
  list.remove_prefix(end < list.size() ? end + 1 : end);
  const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
  while (!item.empty() && is_blank(item.front())) item.remove_prefix(1);
  while (!item.empty() && is_blank(item.back())) item.remove_suffix(1);
  is_removal = !item.empty() && item.front() == '-';
  if (is_removal || (!item.empty() && item.front() == '+')) item.remove_prefix(1);
  return item;
}

/// Whether a list ("p2p,coll", "all,-io", "-MPI_Test*", "basic,+user:pool") selects `what`: items apply from left to
/// right; a list that begins with a sign starts from all.
constexpr bool list_chooses(std::string_view list, const Choosable& what) noexcept {
  while (!list.empty() && (list.front() == ' ' || list.front() == '\t')) list.remove_prefix(1);
  bool is_chosen = !list.empty() && (list.front() == '-' || list.front() == '+');
  while (!list.empty()) {
    bool is_removal = false;
    const std::string_view item = take_level_item(list, is_removal);
    if (!item.empty() && item_chooses(item, what)) is_chosen = !is_removal;
  }
  return is_chosen;
}

}  // namespace meridian
