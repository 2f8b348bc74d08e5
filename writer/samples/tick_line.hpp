// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <time.h>

#include <cstdint>
#include <optional>

#include "trace/ring/ring_layout.hpp"

namespace meridian {

/// Converts times of a system clock to the ticks of a ring: by a line through readings of both clocks, one now and then.
class TickLine {
 public:
  /// nullopt: this process cannot read the ring's clock.
  static std::optional<TickLine> make(ClockKind ring_clock);

  /// The clock whose times are converted.
  clockid_t clock() const noexcept { return clock_; }
  /// Its time now.
  std::uint64_t now_ns() const noexcept;
  /// Reads both clocks. Times between two readings, and a little later, are converted by the line through these.
  void read_clocks() noexcept;
  std::uint64_t ticks_at(std::uint64_t time_ns) const noexcept;

 private:
  struct Reading {
    std::uint64_t ns = 0;
    std::uint64_t ticks = 0;
  };
  TickLine(ClockKind ring_clock, clockid_t clock) : ring_clock_{ring_clock}, clock_{clock} {}
  Reading reading() const noexcept;

  ClockKind ring_clock_;
  clockid_t clock_;
  Reading earlier_, later_;
};

}  // namespace meridian
