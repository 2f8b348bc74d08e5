// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace meridian {

/// A sum of 128 bits as two columns of a table.
struct WideSum {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  constexpr unsigned __int128 value() const noexcept { return static_cast<unsigned __int128>(high) << 64 | low; }
  constexpr WideSum& operator+=(unsigned __int128 more) noexcept {
    const unsigned __int128 sum = value() + more;
    low = static_cast<std::uint64_t>(sum);
    high = static_cast<std::uint64_t>(sum >> 64);
    return *this;
  }
};

/// The least sum of the squares of `count` durations that are `sum` together, rounded up: of polls, of which only the sum is known.
constexpr unsigned __int128 even_squares(std::uint64_t sum, std::uint64_t count) noexcept {
  return (static_cast<unsigned __int128>(sum) * sum + count - 1) / count;
}

}  // namespace meridian
