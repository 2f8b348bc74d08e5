// SPDX-License-Identifier: Apache-2.0
#pragma once

// Fields of texts that the tracer records, such as "leaders 7f30 1 2": words with one blank between them.

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace meridian {

/// Removes the first field of `text` and the blank behind it, and returns the field.
inline std::string_view take_field(std::string_view& text) {
  const std::string_view field = text.substr(0, text.find(' '));
  text.remove_prefix(std::min(field.size() + 1, text.size()));
  return field;
}

/// The value of `text`; nullopt if the text is not one whole number.
template <class Number>
std::optional<Number> number_in(std::string_view text, int base = 10) {
  Number number{};
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (problem != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace meridian
