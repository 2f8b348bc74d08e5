// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace meridian {

/// Ranges of numbers that are at most a sixteenth of their beginning wide.
struct LogRanges {
  static constexpr std::uint64_t kParts = 16;  // of a power of two
  static constexpr std::size_t kCount = 60 * kParts + kParts;

  static constexpr std::size_t of(std::uint64_t value) noexcept {
    if (value < kParts) return static_cast<std::size_t>(value);
    const auto shift = static_cast<int>(std::bit_width(value)) - 5;
    return static_cast<std::size_t>(static_cast<std::uint64_t>(shift) * kParts + (value >> shift));
  }
  static constexpr double begin(std::size_t range) noexcept {
    if (range < 2 * kParts) return static_cast<double>(range);
    const std::size_t shift = range / kParts - 1;
    return static_cast<double>(kParts + range % kParts) * static_cast<double>(std::uint64_t{1} << shift);
  }
};

}  // namespace meridian
