// SPDX-License-Identifier: Apache-2.0
#pragma once

// The slack of messages: their delay on corrected clocks.

#include <cstddef>
#include <cstdint>
#include <limits>

#include "merger/clocks/samples/clock_cells.hpp"
#include "merger/clocks/samples/clock_correction.hpp"
#include "trace/model/units.hpp"

namespace meridian {

/// Computes the slack of messages in one direction between two domains. Millions of points are evaluated repeatedly,
/// mostly in order of time, so the line between two knots is cached. Keeps a reference to the correction.
class ClockSlack {
 public:
  ClockSlack(const ClockCorrection& correction, std::size_t from, std::size_t to)
      : from_{correction, from}, to_{correction, to} {}

  struct Message {
    double sent_ns = 0;      ///< shifted time of the sender
    double received_ns = 0;  ///< shifted time of the receiver
    double slack_ns = 0;     ///< corrected delay; infinite if a stamp may be from either side of a clock step
  };
  Message operator()(const ClockPoint& point) {
    const auto sent = static_cast<double>(point.sent_ns);
    const auto received = static_cast<double>(point.sent_ns + point.delay_ns);
    if (from_.is_set() || to_.is_set()) return across_steps(sent, received);
    return {sent, received, received - sent + (to_.at(received) - from_.at(sent))};
  }
  /// Call after knots of the correction have been moved.
  void forget() { from_.forget(), to_.forget(); }

 private:
  class Clock {
   public:
    Clock(const ClockCorrection& correction, std::size_t domain)
        : correction_{correction}, domain_{domain}, is_set_{!correction.steps[domain].empty()} {}

    bool is_set() const { return is_set_; }
    void forget() { begin_ns_ = end_ns_ = 0; }
    double shifted(double time_ns) const { return is_set_ ? correction_.shifted(domain_, time_ns) : time_ns; }
    bool is_ambiguous_at(double time_ns) const { return is_set_ && correction_.is_ambiguous_at(domain_, time_ns); }
    /// Same as ClockCorrection::at().
    double at(double time_ns) {
      if (!(time_ns >= begin_ns_ && time_ns < end_ns_)) go_to(time_ns);
      return value_ + slope_ * (time_ns - left_ns_);
    }

   private:
    void go_to(double time_ns) {
      const double *const values = &correction_.z[domain_ * correction_.knots],
                          last = correction_.knot_ns(correction_.knots - 1);
      slope_ = 0;
      if (time_ns < correction_.begin_ns) {
        begin_ns_ = -kInfinity;
        left_ns_ = end_ns_ = correction_.begin_ns;
        value_ = values[0];
      } else if (time_ns >= last) {
        left_ns_ = begin_ns_ = last;
        end_ns_ = kInfinity;
        value_ = values[correction_.knots - 1];
      } else {
        const std::size_t k = correction_.place(time_ns).index;
        // Rounding may put a time outside both knots; it is then looked up again next time.
        left_ns_ = begin_ns_ = correction_.knot_ns(k);
        end_ns_ = correction_.knot_ns(k + 1);
        value_ = values[k];
        slope_ = (values[k + 1] - values[k]) / correction_.spacing_ns;
      }
    }

    const ClockCorrection& correction_;
    std::size_t domain_;
    bool is_set_;
    double begin_ns_ = 0, end_ns_ = 0;  // range in which this line is valid; empty at first
    double left_ns_ = 0, value_ = 0, slope_ = 0;
  };

  Message across_steps(double sent, double received) {
    Message one{from_.shifted(sent), to_.shifted(received), kInfinity};
    if (!from_.is_ambiguous_at(sent) && !to_.is_ambiguous_at(received))
      one.slack_ns = one.received_ns - one.sent_ns + (to_.at(one.received_ns) - from_.at(one.sent_ns));
    return one;
  }

  Clock from_, to_;
};

}  // namespace meridian
