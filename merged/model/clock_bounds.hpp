// SPDX-License-Identifier: Apache-2.0
#pragma once

// Bounds for the error of the times in the merged file.

#include <cstdint>
#include <optional>
#include <vector>

namespace meridian {

/// Whether the value is in the range of valid times, so that sums of a few do not overflow.
constexpr bool is_time(std::int64_t time_ns) noexcept {
  constexpr std::int64_t kMost = std::int64_t{1} << 60;
  return -kMost < time_ns && time_ns < kMost;
}

/// The assumptions that a bound rests on.
enum class BoundLevel : std::uint8_t {
  t1,  ///< nothing is received before it is sent, and clocks keep their rates
  t2,  ///< also: no message is quicker than 80 % of the quickest of its pair of hosts
};

/// For an event at t in the merged file: the time that the reference's clock, with its steps removed, showed when the
/// event happened is in [t - early_ns, t + late_ns].
struct ClockBound {
  std::int64_t early_ns = 0;
  std::int64_t late_ns = 0;
  std::int64_t half_width_ns() const noexcept { return (early_ns + late_ns) / 2; }
};

/// The bounds of a domain at one moment. They grow by rate (ns per ns) on both sides of it.
struct ClockBoundKnot {
  std::int64_t time_ns = 0;  ///< global
  float early_ns[2]{};       ///< [BoundLevel]; infinite: not bounded on that side
  float late_ns[2]{};
  float rate = 0;
  bool is_certified = false;  ///< nothing contradicts the assumptions here
};

class ClockBounds {
 public:
  std::vector<std::vector<ClockBoundKnot>> domains;  ///< [domain], by time; empty if no domain has bounds
  std::int64_t largest_move_ns = 0;  ///< the farthest forward move of an event by the repair; 0: the knots contain it

  /// Moves the early ends back by how far events around each knot were moved forward. moves_ns: [domain][knot]
  void widen(const std::vector<std::vector<std::int64_t>>& moves_ns);

  /// Empty if no bound holds: without two-way traffic, around a clock step, and where messages contradict the fit.
  std::optional<ClockBound> at(std::uint32_t domain, std::int64_t time_ns, BoundLevel level) const;
};

/// Whether event a happened before event b, as far as the bounds determine.
enum class EventOrder { before, after, undecided };
EventOrder order_of(std::int64_t a_ns, const ClockBound& a, std::int64_t b_ns, const ClockBound& b) noexcept;

}  // namespace meridian
