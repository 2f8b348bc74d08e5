// SPDX-License-Identifier: Apache-2.0
#pragma once

// The valid name that the user most likely meant. Uses no library and no allocation, because the tracer uses it, too.

#include <cstddef>
#include <span>
#include <string_view>

namespace meridian {

constexpr char ascii_upper(char c) noexcept { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

/// Whether the names are equal, ignoring the case of ASCII letters.
constexpr bool same_name(std::string_view a, std::string_view b) noexcept {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (ascii_upper(a[i]) != ascii_upper(b[i])) return false;
  return true;
}

inline constexpr std::size_t kLongestName = 63;  ///< longer names have no nearest name

/// Least number of insertions, deletions, changes and swaps of neighbouring letters that turn a into b; case is
/// ignored.
/// For names longer than kLongestName: the length of the longer one.
/// Source: optimal string alignment; F. Damerau, Communications of the ACM 7(3), 1964.
constexpr std::size_t edit_distance(std::string_view a, std::string_view b) noexcept {
  if (a.size() > kLongestName || b.size() > kLongestName) return a.size() > b.size() ? a.size() : b.size();
  std::size_t rows[3][kLongestName + 1] = {};
  std::size_t* before_last = rows[0];
  std::size_t* last = rows[1];
  std::size_t* current = rows[2];
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool is_equal = ascii_upper(a[i - 1]) == ascii_upper(b[j - 1]);
      std::size_t best = last[j - 1] + (is_equal ? 0 : 1);
      if (last[j] + 1 < best) best = last[j] + 1;
      if (current[j - 1] + 1 < best) best = current[j - 1] + 1;
      if (i > 1 && j > 1 && ascii_upper(a[i - 1]) == ascii_upper(b[j - 2]) &&
          ascii_upper(a[i - 2]) == ascii_upper(b[j - 1]) && before_last[j - 2] + 1 < best)
        best = before_last[j - 2] + 1;
      current[j] = best;
    }
    std::size_t* const oldest = before_last;
    before_last = last;
    last = current;
    current = oldest;
  }
  return last[b.size()];
}

/// The candidate nearest to `word`, the first of equals; empty if none is near enough (more than one letter and more
/// than a third of the letters would have to change).
constexpr std::string_view nearest_name(std::string_view word, std::span<const std::string_view> candidates) noexcept {
  std::string_view best;
  std::size_t best_distance = word.size() / 3 > 1 ? word.size() / 3 : 1;
  ++best_distance;
  for (const std::string_view& candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

}  // namespace meridian
