// SPDX-License-Identifier: Apache-2.0
#pragma once

// The table of lines of a Python code object (co_linetable, from 3.11 on).
// Source: CPython, Objects/locations.md. Each entry is a byte with bit 7 set, a kind in bits 3 to 6 and the number of its code
// units minus 1 in bits 0 to 2, followed by bytes without bit 7.

#include <cstddef>
#include <cstdint>

namespace meridian {

/// The line of the code unit with index `unit`; 0: it has none, or the table is damaged.
constexpr std::uint32_t python_line(const unsigned char* table, std::size_t bytes, std::int32_t first_line,
                                    std::uint64_t unit) noexcept {
  constexpr unsigned kFirstOneLine = 10, kNoColumns = 13, kLong = 14, kNone = 15;
  std::int64_t line = first_line;
  std::uint64_t end = 0;
  for (std::size_t at = 0; at < bytes;) {
    const unsigned kind = table[at] >> 3 & 15U;
    end += (table[at] & 7U) + 1;
    ++at;
    if (kind == kNoColumns || kind == kLong) {  // a signed number in pieces of 6 bits: the sign is bit 0
      std::uint64_t value = 0;
      for (unsigned shift = 0; at < bytes && shift < 36; shift += 6) {
        const unsigned piece = table[at++];
        value |= std::uint64_t{piece & 63U} << shift;
        if ((piece & 64U) == 0) break;
      }
      const auto distance = static_cast<std::int64_t>(value >> 1);
      line += (value & 1) != 0 ? -distance : distance;
    } else if (kind >= kFirstOneLine && kind < kNoColumns) {
      line += kind - kFirstOneLine;
    }
    while (at < bytes && (table[at] & 0x80U) == 0) ++at;
    if (unit < end) return kind == kNone || line <= 0 || line > INT32_MAX ? 0 : static_cast<std::uint32_t>(line);
  }
  return 0;
}

}  // namespace meridian
