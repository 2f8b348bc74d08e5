// SPDX-License-Identifier: Apache-2.0
#pragma once

// The clock of a ring, read by others than the tracer.

#include <cstdint>

#include "trace/model/processor_counter.hpp"
#include "trace/model/system_clock.hpp"
#include "trace/ring/ring_layout.hpp"

namespace meridian {

/// Now, in the ticks that the tracer stores. 0: this process cannot read that clock.
inline std::uint64_t ticks_now(ClockKind clock) noexcept {
  switch (clock) {
    case ClockKind::tsc:
      return read_processor_counter();
    case ClockKind::monotonic_raw:
      return static_cast<std::uint64_t>(system_clock_ns(CLOCK_MONOTONIC_RAW));
    case ClockKind::monotonic:
      return static_cast<std::uint64_t>(monotonic_now_ns());
    default:
      return 0;
  }
}

}  // namespace meridian
