#pragma once

// What two domains say of each other's clocks, a window at a time.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "merger/clocks/clock_residual.hpp"
#include "merger/clocks/clock_samples.hpp"

namespace meridian {

/// A message says of the difference between another clock and that of the axis: at most, or at least, so much.
struct ClockLimit {
  double at = 0;  ///< on the axis
  double value = 0;
  double other_raw_ns = 0;  ///< the other one's stamp, as the first line has it
  bool is_upper = false;
};

/// The limits of a window together.
struct ClockCorridor {
  double at = 0;
  double upper = std::numeric_limits<double>::infinity(), lower = -std::numeric_limits<double>::infinity();
  bool is_clean() const { return upper >= lower; }
  bool has_both() const { return std::isfinite(upper) && std::isfinite(lower); }
  double middle() const { return (upper + lower) / 2; }
  double width() const { return upper - lower; }
};

/// Corridors in which the difference of two clocks surely lies, on the time of one of them, without their usual slope.
/// A step of the other one moves the corridor from one window to the next by more than its width, and by far more than
/// in the windows around.
struct ClockView {
  std::vector<ClockLimit> limits;
  std::vector<ClockCorridor> clean;  ///< by time
  std::vector<bool> steps;           ///< [clean]: from this corridor to the next
  double begin = 0, slope = 0;       ///< what was taken out: slope * (t - begin)

  static constexpr double kLeastStepNs = 3000;
  static constexpr double kWander = 20e-6;       ///< rate that a clock may change by from one window to the next
  static constexpr double kSlowWander = 0.5e-6;  ///< and what most change by over some seconds
};

/// Nothing where too few windows have messages both ways.
std::optional<ClockView> view_of(const ClockSamples& samples, const PairSamples& pair, const ClockResidual& residual,
                                 bool is_axis_low);

/// Middle of the widths of some corridors.
double usual_width(const std::vector<ClockCorridor>& corridors, std::size_t first, std::size_t count);

/// The slope that corridors still have, between the narrower ones of the first and of the last quarter of some.
double slope_of(const std::vector<ClockCorridor>& corridors, std::size_t first, std::size_t last);

/// Where corridors, which have that slope, lie at a moment: what they have in common from `nearest` on, up to
/// `farthest` on either side of it, or to the first that contradicts those before.
ClockCorridor common_corridor(const std::vector<ClockCorridor>& corridors, std::size_t nearest, std::size_t farthest,
                              double slope, double moment);

}  // namespace meridian
