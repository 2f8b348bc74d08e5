#pragma once

// What messages have to spare on corrected clocks.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "merger/clocks/clock_cells.hpp"
#include "merger/clocks/clock_residual.hpp"

namespace meridian {

/// Of one direction between two domains. Millions of points are looked at again and again: what does not depend on the
/// point is looked up once. Holds on to the residual.
class ClockSpare {
 public:
  ClockSpare(const ClockResidual& residual, std::size_t from, std::size_t to)
      : from_{residual, from}, to_{residual, to} {}

  struct Message {
    double sent_ns = 0;      ///< shifted time of the sender
    double received_ns = 0;  ///< shifted time of the receiver
    double slack_ns = 0;     ///< corrected delay; infinite where a stamp may be of either side of a step
  };
  Message operator()(const ClockPoint& point) const {
    Message one;
    one.sent_ns = from_.shifted(static_cast<double>(point.sent_ns));
    one.received_ns = to_.shifted(static_cast<double>(point.sent_ns + point.delay_ns));
    one.slack_ns = one.received_ns - one.sent_ns + (to_.at(one.received_ns) - from_.at(one.sent_ns));
    if (from_.is_blind_at(static_cast<double>(point.sent_ns)) ||
        to_.is_blind_at(static_cast<double>(point.sent_ns + point.delay_ns)))
      one.slack_ns = std::numeric_limits<double>::infinity();
    return one;
  }

 private:
  class Clock {
   public:
    Clock(const ClockResidual& residual, std::size_t domain)
        : z_{&residual.z[domain * residual.knots]},
          jumps_{residual.jumps[domain]},
          begin_ns_{residual.begin_ns},
          knots_per_ns_{1 / residual.step_ns},
          last_{static_cast<double>(residual.knots) - 1},
          last_left_{static_cast<std::int64_t>(residual.knots) - 2} {}

    double shifted(double time_ns) const {
      double result = time_ns;
      for (const ClockJump& jump : jumps_)
        if (time_ns >= jump.at_ns) result -= jump.size_ns;
      return result;
    }
    bool is_blind_at(double time_ns) const {
      return std::ranges::any_of(jumps_, [&](const ClockJump& jump) { return jump.is_blind_at(time_ns); });
    }
    /// As ClockResidual::at().
    double at(double time_ns) const {
      const double place = std::clamp((time_ns - begin_ns_) * knots_per_ns_, 0.0, last_);
      const std::int64_t left = std::min(static_cast<std::int64_t>(place), last_left_);
      const double share = place - static_cast<double>(left);
      return z_[left] * (1 - share) + z_[left + 1] * share;
    }

   private:
    const double* z_;
    const std::vector<ClockJump>& jumps_;
    double begin_ns_, knots_per_ns_, last_;
    std::int64_t last_left_;
  };
  Clock from_, to_;
};

}  // namespace meridian
