// SPDX-License-Identifier: Apache-2.0
#include "cli/summary/printable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "trace/model/source_place.hpp"

namespace meridian {
namespace {

struct Character {
  char32_t code = 0;
  std::size_t bytes = 1;
  bool is_valid = false;
};

/// The first character of `text`, which is not empty. Overlong forms and surrogates are invalid.
Character decode(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t first = byte(0);
  if (first < 0x80) return {first, 1, true};
  const std::size_t length = first >= 0xf0 && first < 0xf5 ? 4 : first >= 0xe0 && first < 0xf0 ? 3 : 2;
  if (first < 0xc2 || first >= 0xf5 || text.size() < length) return {};
  char32_t code = first & (0x7fU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {};
    code = (code << 6) | (byte(i) & 0x3f);
  }
  constexpr char32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code < kSmallest[length] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return {};
  return {code, length, true};
}

bool is_between(char32_t code, char32_t first, char32_t last) { return code >= first && code <= last; }

bool is_obeyed(char32_t code) {
  return code < 0x20 || is_between(code, 0x7f, 0x9f) || is_between(code, 0x200b, 0x200f) ||
         is_between(code, 0x2028, 0x202e) || is_between(code, 0x2060, 0x206f) || code == 0xfeff || code == 0xad ||
         is_between(code, 0xe0000, 0xe0fff);
}

std::size_t width_of(char32_t code) {
  if (is_between(code, 0x300, 0x36f)) return 0;  // combining marks
  const bool is_wide =
      is_between(code, 0x1100, 0x115f) || is_between(code, 0x2e80, 0xa4cf) || is_between(code, 0xac00, 0xd7a3) ||
      is_between(code, 0xf900, 0xfaff) || is_between(code, 0xfe30, 0xfe6f) || is_between(code, 0xff00, 0xff60) ||
      is_between(code, 0xffe0, 0xffe6) || is_between(code, 0x1f300, 0x1faff) || is_between(code, 0x20000, 0x3fffd);
  return is_wide ? 2 : 1;
}

/// Number of bytes at the start of `text` that fit into `width` columns.
std::size_t fitting(std::string_view text, std::size_t width) {
  std::size_t at = 0;
  while (at < text.size()) {
    const Character next = decode(text.substr(at));
    const std::size_t columns = width_of(next.code);
    if (columns > width) break;
    width -= columns;
    at += next.bytes;
  }
  return at;
}

/// Whether the word is a unit ("ms", "%)", "KiB,"), which stays on the line of its number.
bool is_unit(std::string_view word) {
  while (!word.empty() && std::string_view{".,;:)"}.find(word.back()) != std::string_view::npos) word.remove_suffix(1);
  for (const char* unit : {"%", "ns", "us", "ms", "s", "h", "B", "KiB", "MiB", "GiB", "TiB"})
    if (word == unit) return true;
  return false;
}

/// Removes and returns the first word of `text`, with its unit if it is a number.
std::string_view take_word(std::string_view& text) {
  std::size_t end = std::min(text.find(' '), text.size());
  if (end > 0 && end < text.size() && text[end - 1] >= '0' && text[end - 1] <= '9') {
    const std::size_t next = std::min(text.find(' ', end + 1), text.size());
    if (is_unit(text.substr(end + 1, next - end - 1))) end = next;
  }
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return word;
}

/// Length of "std::" in "std::vector<a::b>::at"; 0: there is no scope.
std::size_t end_of_scope(std::string_view name) {
  std::size_t depth = 0;
  for (std::size_t at = 0; at + 2 < name.size(); ++at) {
    const char c = name[at];
    if (c == '<' || c == '(') ++depth;
    if ((c == '>' || c == ')') && depth > 0) --depth;
    if (depth == 0 && c == ':' && name[at + 1] == ':') return at + 2;
  }
  return 0;
}

}  // namespace

std::string_view file_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

std::string printable(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const Character next = decode(text);
    if (!next.is_valid)
      result += fmt::format("\\x{:02x}", static_cast<std::uint8_t>(text[0]));
    else if (is_obeyed(next.code))
      result += next.code < 0x80 ? fmt::format("\\x{:02x}", static_cast<unsigned>(next.code))
                                 : fmt::format("\\u{{{:04x}}}", static_cast<unsigned>(next.code));
    else
      result += text.substr(0, next.bytes);
    text.remove_prefix(next.bytes);
  }
  return result;
}

std::size_t display_width(std::string_view text) {
  const auto is_ascii = [](char character) { return static_cast<unsigned char>(character) < 0x80; };
  const auto ascii =
      std::find_if_not(text.begin(), text.end(), is_ascii);  // a column each: nearly all text is no more than that
  auto width = static_cast<std::size_t>(ascii - text.begin());
  text.remove_prefix(width);
  while (!text.empty()) {
    const Character next = decode(text);
    width += width_of(next.code);
    text.remove_prefix(next.bytes);
  }
  return width;
}

std::string shortened(std::string_view text, std::size_t width) {
  const std::size_t total = display_width(text);
  if (total <= width) return std::string{text};
  const std::size_t kept = width - 3;
  const std::string_view front = text.substr(0, fitting(text, kept / 2));
  // The end matters more than the start: paths end in the name of the program.
  std::string_view back = text;
  for (std::size_t left = total; left > kept - kept / 2;) {
    const Character next = decode(back);
    left -= width_of(next.code);
    back.remove_prefix(next.bytes);
  }
  return std::string{front} + "..." + std::string{back};
}

std::string shortened_function(std::string_view whole, std::size_t width) {
  const std::string plain = display_width(whole) > width ? without_parameters(whole) : std::string{whole};
  std::string_view name = plain;
  while (display_width(name) > width) {
    const std::size_t scope = end_of_scope(name);
    if (scope == 0) break;
    name.remove_prefix(scope);
  }
  if (const std::size_t arguments = name.find('<'); display_width(name) > width && arguments + 5 < name.size())
    name = name.substr(0, std::max<std::size_t>(arguments, 1));
  return shortened(name, width);
}

std::string shortened_path(std::string_view path, std::size_t width) {
  if (display_width(path) <= width) return std::string{path};
  for (std::size_t slash = path.find('/', 1); slash != std::string_view::npos; slash = path.find('/', slash + 1))
    if (3 + display_width(path.substr(slash)) <= width) return "..." + std::string{path.substr(slash)};
  return shortened(file_name(path), width);
}

std::string shortened_place(std::string_view place, std::size_t width) {
  constexpr std::string_view kBetween = ", ";
  constexpr std::size_t kShortest = 5;
  const std::size_t end = place.rfind(kBetween);
  if (display_width(place) <= width || end == std::string_view::npos) return shortened(place, width);
  const std::string_view line = place.substr(end + kBetween.size());
  const std::size_t taken = display_width(line) + kBetween.size();
  if (taken + kShortest > width) return shortened(line, width);
  return shortened_function(place.substr(0, end), width - taken).append(kBetween).append(line);
}

std::string wrapped(std::string_view text, std::size_t indent, std::size_t width) {
  const std::size_t room = width - indent;
  std::string result;
  std::string line;
  const auto flush = [&] {
    if (!line.empty()) result += std::string(indent, ' ') + line + "\n";
    line.clear();
  };
  while (!text.empty()) {
    std::string_view word = take_word(text);
    if (word.empty()) continue;
    if (!line.empty() && display_width(line) + 1 + display_width(word) > room) flush();
    while (display_width(word) > room) {
      const std::size_t part = fitting(word, room);
      line = word.substr(0, part);
      flush();
      word.remove_prefix(part);
    }
    if (!line.empty()) line += ' ';
    line += word;
  }
  flush();
  return result;
}

}  // namespace meridian
