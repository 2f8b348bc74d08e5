// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace meridian {

/// The length of a tick is an integer in units of 2^-52 ns: precise enough for maps that are exact to a nanosecond over
/// 2^53 ticks, and large enough for a counter of 250 kHz.
inline constexpr int kTickScaleBits = 52;

/// A linear part of a clock map: from base_ticks on, global_ns = base_ns + ((ticks - base_ticks) * scale) >> 52.
struct ClockStretch {
  std::uint64_t base_ticks = 0;
  std::int64_t base_ns = 0;
  std::uint64_t scale = 1ULL << kTickScaleBits;  ///< length of a tick in 2^-52 ns

  std::int64_t to_global(std::uint64_t ticks) const noexcept {
    const auto delta =
        static_cast<std::int64_t>(ticks - base_ticks);  // wraps, which is correct on both sides of the base
    const auto passed_ns = static_cast<std::uint64_t>((static_cast<__int128>(delta) * scale) >> kTickScaleBits);
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(base_ns) + passed_ns);  // wraps for damaged clocks
  }
};

/// Maps local ticks to global nanoseconds with integers only (128-bit products): one line, or a sequence of lines. The
/// map never decreases and is the same on every machine.
class ClockMap {
 public:
  ClockMap() = default;  ///< ticks are global ns
  /// ns_per_tick_q52  length of a tick in 2^-52 ns
  ClockMap(std::uint64_t base_ticks, std::int64_t base_ns, std::uint64_t ns_per_tick_q52)
      : line_{base_ticks, base_ns, ns_per_tick_q52} {}
  /// Makes a map through these points, which ascend in ticks; a time below its predecessor is raised to it. The first
  /// and the last line extend beyond the points. Returns `otherwise` if there are fewer than two points.
  struct Point {
    std::uint64_t ticks = 0;
    std::int64_t ns = 0;
  };
  static ClockMap through(const std::vector<Point>& points, const ClockMap& otherwise);

  std::int64_t to_global(std::uint64_t ticks) const noexcept {
    if (bends_ == nullptr) [[likely]]
      return line_.to_global(ticks);
    return bent(ticks);
  }
  /// The first tick that to_global() maps to `ns` or later. Only for a map of one line.
  std::uint64_t to_ticks(std::int64_t ns) const noexcept;
  /// The same map for a time axis whose zero is `ns` later.
  ClockMap with_zero_at(std::int64_t ns) const noexcept {
    ClockMap map = *this;
    map.line_.base_ns -= ns;
    return map;
  }

 private:
  struct Bends {
    std::uint64_t first_ticks = 0;
    std::uint64_t ticks_per_stretch = 1;  // average; used to start the search
    std::vector<ClockStretch> stretches;
  };
  std::int64_t bent(std::uint64_t ticks) const noexcept;

  ClockStretch line_;                   // if the map has several lines, only base_ns is used: it is added to all times
  std::shared_ptr<const Bends> bends_;  // shared by the ranks of a domain
};

}  // namespace meridian
