// SPDX-License-Identifier: Apache-2.0
#pragma once

// The name of a line of Python, as it is stored (kScriptKey), and texts of CPython in copies of their memory.

#include <stdio.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "trace/unwind/python_layout.hpp"

namespace meridian {

inline constexpr std::size_t kMostPythonName = 1000;  ///< bytes of a function or file; the rest is left out

/// Where a str object has its characters.
struct PythonString {
  std::uint64_t length = 0;  ///< in characters
  std::uint32_t width = 0;   ///< bytes of a character; 0: it is not a text
  std::uintptr_t begin = 0;  ///< from the object on
};

/// `object`: the first layout.ascii_bytes of an object.
inline PythonString python_string(const unsigned char* object, const PythonLayout& layout,
                                  std::uintptr_t text_type) noexcept {
  const auto load = [object](std::uintptr_t offset, auto value) {
    std::memcpy(&value, object + offset, sizeof value);
    return value;
  };
  if (load(kPythonType, std::uintptr_t{}) != text_type) return {};
  // struct state: interned:2, kind:3, compact:1, ascii:1
  const std::uint32_t state = load(kPythonTextState, std::uint32_t{});
  const std::uint32_t width = state >> 2 & 7;
  const bool is_compact = (state >> 5 & 1) != 0, is_ascii = (state >> 6 & 1) != 0;
  if (!is_compact || (width != 1 && width != 2 && width != 4)) return {};
  constexpr std::uintptr_t kMoreOfOthers = 16;  // PyCompactUnicodeObject: length and address in UTF-8
  constexpr std::uintptr_t kMoreOf311 = 24;     // and the length in wchar_t
  const std::uintptr_t more = layout.version == 0x030b ? kMoreOf311 : kMoreOfOthers;
  return {load(kPythonSize, std::uint64_t{}), width, layout.ascii_bytes + (is_ascii ? 0 : more)};
}

/// "LINE US function US file" in a buffer of fixed size: names are cut off between two characters.
class PythonText {
 public:
  void add_line(std::uint32_t line) noexcept {
    const int length = snprintf(text_, sizeof text_, "%u", line);
    length_ = length > 0 ? static_cast<std::size_t>(length) : 0;
  }
  /// Call it for the function, then for the file. `characters`: the text of `string`, at least the first kMostPythonName characters.
  void add_name(const PythonString& string, const unsigned char* characters) noexcept {
    constexpr std::size_t kLongestCharacter = 4;
    add('\x1f');
    last_ = length_;
    const std::size_t end = length_ + kMostPythonName - kLongestCharacter;
    for (std::uint64_t i = 0; i < string.length && length_ < end; ++i) {
      const unsigned char* const at = characters + i * string.width;
      std::uint32_t character = 0;  // little-endian
      for (std::uint32_t byte = 0; byte < string.width; ++byte) character |= std::uint32_t{at[byte]} << 8 * byte;
      add_character(character);
    }
  }
  /// Whether the last name is the file of code that the interpreter brings along, such as the import system.
  bool is_frozen() const noexcept {
    constexpr char kFrozen[] = "<frozen ";
    return length_ - last_ >= sizeof kFrozen - 1 && memcmp(text_ + last_, kFrozen, sizeof kFrozen - 1) == 0;
  }
  const char* data() const noexcept { return text_; }
  std::size_t length() const noexcept { return length_; }

 private:
  void add(char c) noexcept {
    if (length_ < sizeof text_) text_[length_++] = c;
  }
  void add_character(std::uint32_t c) noexcept {
    const auto part = [](std::uint32_t bits) { return static_cast<char>(bits); };
    if (c < 0x80) return add(part(c < ' ' ? ' ' : c));
    if (c < 0x800) {
      add(part(0xc0 | c >> 6));
    } else {
      if (c < 0x10000) {
        add(part(0xe0 | c >> 12));
      } else {
        add(part(0xf0 | c >> 18));
        add(part(0x80 | (c >> 12 & 0x3f)));
      }
      add(part(0x80 | (c >> 6 & 0x3f)));
    }
    add(part(0x80 | (c & 0x3f)));
  }

  char text_[2 * kMostPythonName + 64];
  std::size_t length_ = 0, last_ = 0;
};

}  // namespace meridian
