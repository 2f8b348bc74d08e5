// SPDX-License-Identifier: Apache-2.0
#pragma once

// Numbers as the page stores them: varints, deflated, as base64 text. docs/REPORT.md describes the format.

#include <cstdint>
#include <string>
#include <string_view>

namespace meridian {

/// A column of numbers: each is a little-endian varint (seven bits a byte, the last byte has its eighth bit clear).
class PackedNumbers {
 public:
  void add(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7U) bytes_ += static_cast<char>(value | 0x80U);
    bytes_ += static_cast<char>(value);
  }
  /// Signed: 0, -1, 1, -2 ... become 0, 1, 2, 3 ...
  void add_signed(std::int64_t value) {
    add((static_cast<std::uint64_t>(value) << 1U) ^ static_cast<std::uint64_t>(value >> 63));
  }
  const std::string& bytes() const noexcept { return bytes_; }

 private:
  std::string bytes_;
};

/// zlib's format, then base64 with padding.
std::string packed_text(std::string_view bytes);

}  // namespace meridian
