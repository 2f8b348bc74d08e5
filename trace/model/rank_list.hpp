// SPDX-License-Identifier: Apache-2.0
#pragma once

// Lists of ranks, as MERIDIAN_RANKS has them. Used inside the traced program: nothing here allocates or throws.
//
//   all       every rank
//   5         one rank
//   8-15      ranks 8 to 15
//   3%16      ranks 3, 19, 35...: every rank that leaves 3 when divided by 16
//   1/16      one of 16: ranks 0, 16, 32...
//
// Items are separated by commas.

#include <cstdint>
#include <string_view>

#include "trace/model/option_text.hpp"

namespace meridian {

struct RankItem {
  std::int64_t first = 0;
  std::int64_t last = 0;
  std::int64_t step = 1;  ///< from `first` on

  constexpr bool contains(std::int64_t rank) const noexcept {
    return rank >= first && rank <= last && (rank - first) % step == 0;
  }
};

inline constexpr std::int64_t kLastRank = INT32_MAX;

/// Digits that form a rank. False: it is not one.
constexpr bool parse_rank(std::string_view text, std::int64_t& rank) noexcept {
  if (text.empty()) return false;
  rank = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return false;
    rank = rank * 10 + (c - '0');
    if (rank > kLastRank) return false;
  }
  return true;
}

/// False: `text` is none of the forms above.
constexpr bool parse_rank_item(std::string_view text, RankItem& item) noexcept {
  item = {0, kLastRank, 1};
  if (same_name(text, "all")) return true;
  const std::size_t at = [text] {
    std::size_t i = 0;
    while (i < text.size() && text[i] != '-' && text[i] != '%' && text[i] != '/') ++i;
    return i;
  }();
  std::int64_t left = 0;
  if (!parse_rank(trim({text.data(), at}), left)) return false;
  if (at == text.size()) {
    item.first = item.last = left;
    return true;
  }
  std::int64_t right = 0;
  if (!parse_rank(trim({text.data() + at + 1, text.size() - at - 1}), right)) return false;
  if (text[at] == '-') {
    item.first = left;
    item.last = right;
    return left <= right;
  }
  item.step = right;
  item.first = text[at] == '%' ? left : 0;
  return right > 0 && (text[at] == '%' ? left < right : left == 1);
}

/// `problem`: the first item that is not valid; empty if all are.
constexpr bool is_rank_list(std::string_view list, std::string_view& problem) noexcept {
  if (trim(list).empty()) return false;
  while (!list.empty()) {
    RankItem item;
    problem = trim(take_item(list, ','));
    if (!parse_rank_item(problem, item)) return false;
  }
  problem = {};
  return true;
}

/// Whether a valid list contains the rank.
constexpr bool list_has_rank(std::string_view list, std::int64_t rank) noexcept {
  while (!list.empty()) {
    RankItem item;
    if (parse_rank_item(trim(take_item(list, ',')), item) && item.contains(rank)) return true;
  }
  return false;
}

}  // namespace meridian
