// hot
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The clock of the trace: raw ticks, and two ways to read them.

#include <cstdint>

#include "trace/model/processor_counter.hpp"
#include "trace/ring/ring_layout.hpp"

namespace meridian {

extern constinit ClockKind g_clock;

/// All clocks except the counter of the processor.
[[gnu::cold, gnu::noinline]] std::uint64_t read_slow_clock() noexcept;

[[gnu::always_inline]] inline std::uint64_t read_ticks() noexcept {
  if (!kHasProcessorCounter || g_clock != ClockKind::tsc) [[unlikely]]
    return read_slow_clock();
  return read_processor_counter();
}

/// Reads the clock after all earlier loads. Otherwise the counter could be read before a pending load, and a message
/// would appear to be received before the load that found it.
[[gnu::always_inline]] inline std::uint64_t read_ticks_after_loads() noexcept {
  wait_for_loads();
  return read_ticks();
}

/// Chooses the clock (`wanted`: "auto", "tsc", "monotonic_raw", "monotonic"). False: not possible here, auto is used.
bool choose_clock(const char* wanted, std::uint64_t wanted_length) noexcept;

/// Identity of the clock that this process reads: equal exactly if time stamps are comparable.
std::uint64_t clock_domain() noexcept;

/// Settings for tests in MERIDIAN_TEST_CLOCK: treat the few hosts of a test as many, shorten the period.
struct ClockTest {
  bool is_large = false;       ///< no domain meets all others
  std::int64_t period_ms = 0;  ///< replaces MERIDIAN_CLOCK_PERIOD; 0: not set
};
ClockTest clock_test() noexcept;

/// Ticks per second according to the system; 0 if unknown.
std::uint64_t nominal_tick_hz() noexcept;

struct ClockAnchor {
  std::uint64_t before_ticks, after_ticks;
  std::int64_t monotonic_ns, realtime_ns;
};
/// Reads both system clocks between two reads of ours; keeps the narrowest bracket of several tries.
ClockAnchor read_anchor() noexcept;
/// The anchor to record: where a test distorts the ticks, it also distorts the system clocks, because a host's clocks
/// share one oscillator.
ClockAnchor read_recorded_anchor() noexcept;

}  // namespace meridian
