// SPDX-License-Identifier: Apache-2.0
#pragma once

// Ranges in the notation of options: `64K:`, `:8`, `2.5:10`, `4:4`; `:` is everything. No allocation, only standard
// headers.

#include <cstdint>
#include <limits>
#include <string_view>

#include "trace/model/option_text.hpp"

namespace meridian {

/// Both ends are included. Without limits: all non-negative numbers.
struct Range {
  std::int64_t from = 0;
  std::int64_t to = std::numeric_limits<std::int64_t>::max();
  constexpr bool has(std::int64_t value) const noexcept { return value >= from && value <= to; }
  constexpr bool is_everything() const noexcept { return from == 0 && to == std::numeric_limits<std::int64_t>::max(); }
};

/// "2.5" seconds as nanoseconds.
constexpr ParsedOption parse_decimal_seconds(std::string_view text) noexcept {
  constexpr std::int64_t kNano = 1'000'000'000;
  std::string_view rest = trim(text);
  ParsedOption whole;
  if (rest.empty() || rest.front() != '.') whole = take_digits(rest);
  if (whole.problem != TextProblem::none) return whole;
  if (__builtin_mul_overflow(whole.number, kNano, &whole.number)) return {0, TextProblem::out_of_range, text};
  if (rest.empty()) return whole;
  if (rest.front() != '.' || rest.size() < 2 || rest.size() > 10) return {0, TextProblem::malformed, text};
  std::int64_t weight = kNano;
  for (const char c : std::string_view{rest.data() + 1, rest.size() - 1}) {
    if (c < '0' || c > '9') return {0, TextProblem::malformed, text};
    weight /= 10;
    whole.number += (c - '0') * weight;
  }
  return whole;
}

/// `unit` determines the format of the ends: "bytes" as in parse_size(), "s" seconds (the range is in nanoseconds),
/// else digits.
constexpr TextProblem parse_range(std::string_view text, std::string_view unit, Range& range) noexcept {
  range = {};
  std::string_view rest = trim(text);
  const std::size_t colon = find_char(rest, ':');
  if (colon == rest.size()) return TextProblem::malformed;
  const auto parse = [&](std::string_view end, std::int64_t& value) {
    if (trim(end).empty()) return TextProblem::none;
    const ParsedOption parsed = unit == "bytes" ? parse_size(end)
                                : unit == "s"   ? parse_decimal_seconds(end)
                                                : parse_number(end);
    if (parsed.problem == TextProblem::none) value = parsed.number;
    return parsed.problem;
  };
  TextProblem problem = parse({rest.data(), colon}, range.from);
  if (problem == TextProblem::none) problem = parse({rest.data() + colon + 1, rest.size() - colon - 1}, range.to);
  if (problem == TextProblem::none && range.from > range.to) problem = TextProblem::out_of_range;
  if (problem != TextProblem::none) range = {};
  return problem;
}

}  // namespace meridian
