// SPDX-License-Identifier: Apache-2.0
#include "cli/support/call_label.hpp"

#include <charconv>

namespace meridian {
namespace {

template <class Number>
bool take_number(std::string_view& text, Number& number) {
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc{}) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

bool take_letter(std::string_view& text, char letter) {
  if (!text.starts_with(letter)) return false;
  text.remove_prefix(1);
  return true;
}

}  // namespace

std::optional<EventRef> take_call_label(std::string_view& text) {
  std::string_view rest = text;
  EventRef call;
  if (!take_number(rest, call.rank) || call.rank < 0) return std::nullopt;
  if (take_letter(rest, '.') && !take_number(rest, call.thread)) return std::nullopt;
  if (!take_letter(rest, ':') || !take_number(rest, call.event)) return std::nullopt;
  text = rest;
  return call;
}

}  // namespace meridian
