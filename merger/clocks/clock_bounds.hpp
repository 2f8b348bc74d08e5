#pragma once

// How far from the truth a time in the merged file can be.

#include <cstdint>
#include <optional>
#include <vector>

namespace meridian {

/// Whether it can be a time: sums of a few do not overflow.
constexpr bool is_time(std::int64_t time_ns) noexcept {
  constexpr std::int64_t kMost = std::int64_t{1} << 60;
  return -kMost < time_ns && time_ns < kMost;
}

/// What a bound rests on.
enum class BoundLevel : std::uint8_t {
  t1,  ///< nothing is received before it is sent, and clocks keep their rates
  t2,  ///< also: no message is quicker than 80 % of the quickest of its pair of hosts
};

/// The reference's clock, with its steps taken out, at the moment of an event that the merged file puts at t, showed a
/// time in [t - early_ns, t + late_ns].
struct ClockBound {
  std::int64_t early_ns = 0;
  std::int64_t late_ns = 0;
  std::int64_t half_width_ns() const noexcept { return (early_ns + late_ns) / 2; }
};

/// The bounds of one moment of a domain; they grow by rate (ns per ns) on both sides of it.
struct ClockBoundKnot {
  std::int64_t time_ns = 0;  ///< global
  float early_ns[2]{};       ///< [BoundLevel]; infinite: not bounded on that side
  float late_ns[2]{};
  float rate = 0;
  bool is_certified = false;  ///< nothing contradicts the assumptions here
};

class ClockBounds {
 public:
  std::vector<std::vector<ClockBoundKnot>> domains;  ///< [domain], by time; empty: nothing is known of any
  std::int64_t largest_move_ns = 0;                  ///< how far events were moved forward to repair their order

  /// Nothing where no bound holds: without two-way traffic, around a step of the clock, where messages contradict it.
  std::optional<ClockBound> at(std::uint32_t domain, std::int64_t time_ns, BoundLevel level) const;
};

/// Whether event a happened before event b, as far as the bounds tell.
enum class EventOrder { before, after, undecided };
EventOrder order_of(std::int64_t a_ns, const ClockBound& a, std::int64_t b_ns, const ClockBound& b) noexcept;

}  // namespace meridian
