#pragma once

// What messages have to spare on corrected clocks.

#include <cstddef>
#include <cstdint>
#include <limits>

#include "merger/clocks/clock_cells.hpp"
#include "merger/clocks/clock_residual.hpp"

namespace meridian {

/// Of one direction between two domains. Millions of points are looked at again and again, most of them by time: the
/// line between two knots is kept until a point lies beyond it. Holds on to the residual.
class ClockSpare {
 public:
  ClockSpare(const ClockResidual& residual, std::size_t from, std::size_t to)
      : from_{residual, from}, to_{residual, to} {}

  struct Message {
    double sent_ns = 0;      ///< shifted time of the sender
    double received_ns = 0;  ///< shifted time of the receiver
    double slack_ns = 0;     ///< corrected delay; infinite where a stamp may be of either side of a step
  };
  Message operator()(const ClockPoint& point) {
    const auto sent = static_cast<double>(point.sent_ns);
    const auto received = static_cast<double>(point.sent_ns + point.delay_ns);
    if (from_.is_set() || to_.is_set()) return across_steps(sent, received);
    return {sent, received, received - sent + (to_.at(received) - from_.at(sent))};
  }
  /// After knots of the residual have been moved.
  void forget() { from_.forget(), to_.forget(); }

 private:
  class Clock {
   public:
    Clock(const ClockResidual& residual, std::size_t domain)
        : residual_{residual}, domain_{domain}, is_set_{!residual.jumps[domain].empty()} {}

    bool is_set() const { return is_set_; }
    void forget() { begin_ns_ = end_ns_ = 0; }
    double shifted(double time_ns) const { return is_set_ ? residual_.shifted(domain_, time_ns) : time_ns; }
    bool is_blind_at(double time_ns) const { return is_set_ && residual_.is_blind_at(domain_, time_ns); }
    /// As ClockResidual::at().
    double at(double time_ns) {
      if (!(time_ns >= begin_ns_ && time_ns < end_ns_)) go_to(time_ns);
      return value_ + slope_ * (time_ns - left_ns_);
    }

   private:
    void go_to(double time_ns) {
      const double *const values = &residual_.z[domain_ * residual_.knots],
                          last = residual_.knot_ns(residual_.knots - 1);
      slope_ = 0;
      if (time_ns < residual_.begin_ns) {
        begin_ns_ = -kInfinity;
        left_ns_ = end_ns_ = residual_.begin_ns;
        value_ = values[0];
      } else if (time_ns >= last) {
        left_ns_ = begin_ns_ = last;
        end_ns_ = kInfinity;
        value_ = values[residual_.knots - 1];
      } else {
        const std::size_t k = residual_.place(time_ns).index;
        // Of two ways to round: a time that is neither before one knot nor behind the next is looked up again.
        left_ns_ = begin_ns_ = residual_.knot_ns(k);
        end_ns_ = residual_.knot_ns(k + 1);
        value_ = values[k];
        slope_ = (values[k + 1] - values[k]) / residual_.step_ns;
      }
    }

    const ClockResidual& residual_;
    std::size_t domain_;
    bool is_set_;
    double begin_ns_ = 0, end_ns_ = 0;  // where this line holds: nowhere yet
    double left_ns_ = 0, value_ = 0, slope_ = 0;
  };
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();

  Message across_steps(double sent, double received) {
    Message one{from_.shifted(sent), to_.shifted(received), kInfinity};
    if (!from_.is_blind_at(sent) && !to_.is_blind_at(received))
      one.slack_ns = one.received_ns - one.sent_ns + (to_.at(one.received_ns) - from_.at(one.sent_ns));
    return one;
  }

  Clock from_, to_;
};

}  // namespace meridian
