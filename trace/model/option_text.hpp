// SPDX-License-Identifier: Apache-2.0
#pragma once

// Values in the notation of options: `64M`, `yes`, `all,-io`, `90`. No allocation, only standard headers.

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

#include "trace/model/level_rules.hpp"
#include "trace/model/nearest_name.hpp"

namespace meridian {

enum class OptionType : std::uint8_t {
  path,     ///< any text; the value is the text
  list,     ///< texts separated by commas; the value is the text
  choice,   ///< one of the words of `unit`; the value is its index
  size,     ///< bytes: digits and K, M, G, T (powers of 1024; `KiB`, `MB`... mean the same)
  number,   ///< digits
  seconds,  ///< digits, then nothing or s, min, h
  flag,     ///< 1/0, yes/no, true/false, on/off
  extent,   ///< a size, or a time with its unit s, min or h, whose value is negative: -600 for `10min`
  range,    ///< `from:to`, either may be missing (option_range.hpp); the value is the text
  ranks,    ///< list of ranks (rank_list.hpp); the value is the text
  groups,   ///< list for list_chooses(); the value is a mask with bit CallGroup set for each selected group
};

enum class TextProblem : std::uint8_t { none, malformed, out_of_range };

struct ParsedOption {
  std::int64_t number = 0;
  TextProblem problem{};
  std::string_view culprit;  ///< the part of the text that is not valid
};

/// Names of call_groups.def; the index is the CallGroup value.
inline constexpr std::array kGroupNames{
    std::string_view{},
#define MERIDIAN_GROUP(name, text) std::string_view{#name},
#include "trace/model/call_groups.def"
};
static_assert(kGroupNames.size() <= 63, "a mask of groups must fit a std::int64_t");

constexpr bool starts_with(std::string_view text, std::string_view prefix) noexcept {
  return text.size() >= prefix.size() && std::string_view{text.data(), prefix.size()} == prefix;
}

/// Position of the first `wanted`; text.size() if there is none.
constexpr std::size_t find_char(std::string_view text, char wanted) noexcept {
  std::size_t i = 0;
  while (i < text.size() && text[i] != wanted) ++i;
  return i;
}

constexpr std::string_view trim(std::string_view text) noexcept {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

/// Removes the first item from `list` and returns it without surrounding blanks.
constexpr std::string_view take_item(std::string_view& list, char separator) noexcept {
  const std::size_t end = find_char(list, separator);
  const std::string_view item{list.data(), end};
  list.remove_prefix(end < list.size() ? end + 1 : end);
  return trim(item);
}

/// Removes digits at the start of `text` and returns their value. Problems: no digits, or a value above int64.
constexpr ParsedOption take_digits(std::string_view& text) noexcept {
  ParsedOption result;
  if (text.empty() || text.front() < '0' || text.front() > '9') return {0, TextProblem::malformed, text};
  while (!text.empty() && text.front() >= '0' && text.front() <= '9') {
    if (__builtin_mul_overflow(result.number, std::int64_t{10}, &result.number) ||
        __builtin_add_overflow(result.number, std::int64_t{text.front() - '0'}, &result.number))
      return {std::numeric_limits<std::int64_t>::max(), TextProblem::out_of_range, text};
    text.remove_prefix(1);
  }
  return result;
}

constexpr ParsedOption parse_number(std::string_view text) noexcept {
  std::string_view rest = trim(text);
  const ParsedOption result = take_digits(rest);
  if (result.problem == TextProblem::none && !rest.empty()) return {0, TextProblem::malformed, rest};
  return result;
}

struct UnitFactor {
  std::string_view name;
  std::int64_t factor;
};

/// Digits, blanks, and one of `units`, whose factor is applied.
constexpr ParsedOption parse_with_unit(std::string_view text, std::span<const UnitFactor> units) noexcept {
  std::string_view rest = trim(text);
  ParsedOption result = take_digits(rest);
  if (result.problem != TextProblem::none) return result;
  rest = trim(rest);
  for (const UnitFactor& unit : units) {
    if (!same_name(rest, unit.name)) continue;
    if (__builtin_mul_overflow(result.number, unit.factor, &result.number))
      return {std::numeric_limits<std::int64_t>::max(), TextProblem::out_of_range, text};
    return result;
  }
  return {0, TextProblem::malformed, rest};
}

constexpr ParsedOption parse_size(std::string_view text) noexcept {
  constexpr std::int64_t kKibi = 1024;
  constexpr UnitFactor kUnits[] = {{"", 1},
                                   {"B", 1},
                                   {"K", kKibi},
                                   {"KB", kKibi},
                                   {"KiB", kKibi},
                                   {"M", kKibi * kKibi},
                                   {"MB", kKibi * kKibi},
                                   {"MiB", kKibi * kKibi},
                                   {"G", kKibi * kKibi * kKibi},
                                   {"GB", kKibi * kKibi * kKibi},
                                   {"GiB", kKibi * kKibi * kKibi},
                                   {"T", kKibi * kKibi * kKibi * kKibi},
                                   {"TB", kKibi * kKibi * kKibi * kKibi},
                                   {"TiB", kKibi * kKibi * kKibi * kKibi}};
  return parse_with_unit(text, kUnits);
}

constexpr ParsedOption parse_seconds(std::string_view text) noexcept {
  constexpr UnitFactor kUnits[] = {{"", 1}, {"s", 1}, {"min", 60}, {"h", 3600}};
  return parse_with_unit(text, kUnits);
}

constexpr ParsedOption parse_extent(std::string_view text) noexcept {
  constexpr UnitFactor kTimes[] = {{"s", -1}, {"min", -60}, {"h", -3600}};
  const ParsedOption time = parse_with_unit(text, kTimes);
  return time.problem == TextProblem::none ? time : parse_size(text);
}

constexpr ParsedOption parse_flag(std::string_view text) noexcept {
  const std::string_view word = trim(text);
  for (const std::string_view yes : {"1", "yes", "true", "on"})
    if (same_name(word, yes)) return {1, TextProblem::none, {}};
  for (const std::string_view no : {"0", "no", "false", "off"})
    if (same_name(word, no)) return {0, TextProblem::none, {}};
  return {0, TextProblem::malformed, word};
}

/// Index of the word in "a|b|c".
constexpr ParsedOption parse_choice(std::string_view text, std::string_view choices) noexcept {
  const std::string_view word = trim(text);
  for (std::int64_t index = 0; !choices.empty(); ++index)
    if (same_name(take_item(choices, '|'), word)) return {index, TextProblem::none, {}};
  return {0, TextProblem::malformed, word};
}

/// A list for list_chooses() (level_rules.hpp); the value is the mask of the groups that it selects as a whole.
/// Malformed: an item that can match nothing.
constexpr ParsedOption parse_groups(std::string_view text) noexcept {
  std::string_view list = trim(text);
  while (!list.empty()) {
    bool is_removal = false;
    const std::string_view item = take_level_item(list, is_removal);
    if (!item.empty() && !is_item(item)) return {0, TextProblem::malformed, item};
  }
  ParsedOption result;
  for (std::size_t i = 1; i < kGroupNames.size(); ++i)
    if (list_chooses(trim(text), {.name = {}, .group = kGroupNames[i]})) result.number |= std::int64_t{1} << i;
  return result;
}

/// The value of `text` as an option of this type; `unit` holds the choices of a choice.
constexpr ParsedOption parse_option_text(OptionType type, std::string_view text, std::int64_t minimum,
                                         std::int64_t maximum, std::string_view unit) noexcept {
  ParsedOption result;
  switch (type) {
    case OptionType::path:
    case OptionType::list:
    case OptionType::range:
    case OptionType::ranks:
      return result;
    case OptionType::choice:
      return parse_choice(text, unit);
    case OptionType::flag:
      return parse_flag(text);
    case OptionType::groups:
      return parse_groups(text);
    case OptionType::size:
      result = parse_size(text);
      break;
    case OptionType::extent:
      result = parse_extent(text);
      if (result.number < 0) return result;
      break;
    case OptionType::number:
      if (!same_name(trim(text), "no") && !same_name(trim(text), "off")) result = parse_number(text);  // else 0
      break;
    case OptionType::seconds:
      result = parse_seconds(text);
      break;
  }
  if (result.problem == TextProblem::none && (result.number < minimum || result.number > maximum))
    result.problem = TextProblem::out_of_range;
  return result;
}

}  // namespace meridian
