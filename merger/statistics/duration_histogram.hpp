// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace meridian {

/// Counts durations in ranges that are at most a sixteenth of their beginning wide: quantiles are known to about 3 %.
class DurationHistogram {
 public:
  void add(std::uint64_t ns, std::uint64_t count) {
    if (counts_.empty()) [[unlikely]]
      counts_.resize(kRanges);
    counts_[range_of(ns)] += count;
    all_ += count;
  }
  std::uint64_t count() const noexcept { return all_; }
  /// The duration that this share of all does not exceed, in ns; in the range interpolated. 0 without any.
  double quantile(double share) const noexcept;
  /// The mean of the shortest ones that are this share of all, in ns.
  double mean_of_shortest(double share) const noexcept;

 private:
  static constexpr std::uint64_t kParts = 16;  // of a power of two
  static constexpr std::size_t kRanges = 60 * kParts + kParts;

  static std::size_t range_of(std::uint64_t ns) noexcept {
    if (ns < kParts) return static_cast<std::size_t>(ns);
    const auto shift = static_cast<int>(std::bit_width(ns)) - 5;
    return static_cast<std::size_t>(static_cast<std::uint64_t>(shift) * kParts + (ns >> shift));
  }
  static double begin_of(std::size_t range) noexcept;

  std::vector<std::uint64_t> counts_;  // empty until the first one
  std::uint64_t all_ = 0;
};

}  // namespace meridian
