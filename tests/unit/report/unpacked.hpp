// SPDX-License-Identifier: Apache-2.0
#pragma once

// Texts of a page read in another way than the page writes them.

#include <zlib.h>

#include <cstdint>
#include <string>

namespace meridian {

/// By the place of each character in the alphabet.
inline std::string from_base64(const std::string& text) {
  std::string bytes;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    if (c == '=') break;
    const int value = c >= 'A' && c <= 'Z'   ? c - 'A'
                      : c >= 'a' && c <= 'z' ? c - 'a' + 26
                      : c >= '0' && c <= '9' ? c - '0' + 52
                      : c == '+'             ? 62
                                             : 63;
    bits = bits << 6U | static_cast<std::uint32_t>(value);
    count += 6;
    if (count >= 8) {
      count -= 8;
      bytes += static_cast<char>(bits >> static_cast<unsigned>(count) & 0xffU);
    }
  }
  return bytes;
}

/// The bytes of a packed text: `size` or fewer of them.
inline std::string unpacked(const std::string& text, std::size_t size) {
  const std::string inside = from_base64(text);
  std::string bytes(size + 1, '\0');
  uLongf length = bytes.size();
  if (uncompress(reinterpret_cast<Bytef*>(bytes.data()), &length, reinterpret_cast<const Bytef*>(inside.data()),
                 inside.size()) != Z_OK)
    return {};
  bytes.resize(length);
  return bytes;
}

}  // namespace meridian
