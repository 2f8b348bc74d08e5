// SPDX-License-Identifier: Apache-2.0
#pragma once

// The difference of two clocks, bounded by their messages in each window.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "merger/clocks/samples/clock_constraints.hpp"
#include "merger/clocks/samples/clock_correction.hpp"
#include "merger/clocks/samples/clock_samples.hpp"

namespace meridian {

/// The bound of one message on the difference between the other clock and the clock of the axis, from above or below.
struct ClockLimit {
  double at = 0;  ///< on the axis
  double value = 0;
  double other_raw_ns = 0;  ///< the other clock's stamp, on its first line
  bool is_upper = false;
};

/// The limits of a window combined.
struct ClockCorridor {
  double at = 0;
  double upper = std::numeric_limits<double>::infinity(), lower = -std::numeric_limits<double>::infinity();
  bool is_clean() const { return upper >= lower; }
  bool has_both() const { return std::isfinite(upper) && std::isfinite(lower); }
  double middle() const { return (upper + lower) / 2; }
  double width() const { return upper - lower; }
};

/// Corridors that contain the difference of two clocks, on the time of one of them, after removal of their median
/// slope. A step of the other clock moves the corridor from one window to the next by more than its width, and by far
/// more than it moves in the windows around.
struct ClockView {
  std::vector<ClockLimit> limits;
  std::vector<ClockCorridor> clean;  ///< by time
  std::vector<bool> steps;           ///< [clean]: from this corridor to the next
  double begin = 0, slope = 0;       ///< the removed slope: slope * (t - begin)
  double window_ns = 0;
};

/// The collectives of the samples by domain, in order of time.
class CollectivesOfDomains {
 public:
  explicit CollectivesOfDomains(const ClockSamples& samples);

  /// Calls visit(side of a, side of b) for each collective that both domains took part in.
  template <class Visit>
  void for_each(std::uint32_t a, std::uint32_t b, Visit&& visit) const {
    auto one = sides_[a].begin();
    auto other = sides_[b].begin();
    while (one != sides_[a].end() && other != sides_[b].end()) {
      if (one->instance == other->instance) visit(*one->side, *other->side);
      const bool is_first = one->instance <= other->instance, is_second = other->instance <= one->instance;
      one += is_first;
      other += is_second;
    }
  }

 private:
  struct Part {
    std::size_t instance = 0;
    const CollectiveSide* side = nullptr;
  };
  std::vector<std::vector<Part>> sides_;  // [domain]
};

/// Calls visit(constraint, enter, exit) for each wait of one domain of a pair for the other in a collective, with the
/// stamps on the first lines; not for stamps that may be from either side of a step.
template <class Visit>
void for_each_wait_between(const CollectivesOfDomains& collectives, const PairSamples& pair,
                           const ClockCorrection& correction, Visit&& visit) {
  const auto add = [&](const CollectiveSide& from, const CollectiveSide& to) {
    const auto enter = static_cast<double>(from.last_enter_ns), exit = static_cast<double>(to.first_exit_ns);
    if (correction.is_ambiguous_at(from.domain, enter) || correction.is_ambiguous_at(to.domain, exit)) return;
    visit(wait_between(from.domain, correction.shifted(from.domain, enter), to.domain,
                       correction.shifted(to.domain, exit), correction),
          enter, exit);
  };
  collectives.for_each(pair.low, pair.high, [&](const CollectiveSide& low, const CollectiveSide& high) {
    add(low, high);
    add(high, low);
  });
}

/// collectives  null: only messages count, in the windows of the samples. Otherwise collectives count too, in the shortest
///              windows of which enough have both: for domains whose messages are rare
/// returns      empty if too few windows have messages both ways
std::optional<ClockView> view_of(const ClockSamples& samples, const CollectivesOfDomains* collectives,
                                 const PairSamples& pair, const ClockCorrection& correction, bool is_axis_low);

/// The median width of `count` corridors.
double usual_width(const std::vector<ClockCorridor>& corridors, std::size_t first, std::size_t count);

/// The remaining slope of corridors first to last, between the narrower ones of the first and of the last quarter.
double slope_of(const std::vector<ClockCorridor>& corridors, std::size_t first, std::size_t last);

/// The intersection, at a moment, of the corridors from `nearest` to `farthest`, extrapolated with `slope`; it ends
/// before the first corridor that contradicts the nearer ones.
ClockCorridor common_corridor(const std::vector<ClockCorridor>& corridors, std::size_t nearest, std::size_t farthest,
                              double slope, double moment);

}  // namespace meridian
