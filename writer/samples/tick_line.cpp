// SPDX-License-Identifier: Apache-2.0
#include "writer/samples/tick_line.hpp"

#include "trace/model/system_clock.hpp"
#include "trace/ring/ring_clock.hpp"
#include "trace/ring/sample_layout.hpp"

namespace meridian {
namespace {

constexpr int kTries = 4;

}  // namespace

std::optional<TickLine> TickLine::make(ClockKind ring_clock) {
  if (ticks_now(ring_clock) == 0) return std::nullopt;
  TickLine line{ring_clock, sampled_clock(ring_clock)};
  line.earlier_ = line.reading();
  line.later_ = line.earlier_;
  return line;
}

std::uint64_t TickLine::now_ns() const noexcept { return static_cast<std::uint64_t>(system_clock_ns(clock_)); }

// The reading that took the least time is kept: the others were interrupted.
TickLine::Reading TickLine::reading() const noexcept {
  Reading best;
  std::uint64_t shortest = UINT64_MAX;
  for (int i = 0; i < kTries; ++i) {
    const std::uint64_t before = now_ns(), ticks = ticks_now(ring_clock_), after = now_ns();
    if (after - before >= shortest) continue;
    shortest = after - before;
    best = {before + shortest / 2, ticks};
  }
  return best;
}

void TickLine::read_clocks() noexcept {
  if (ring_clock_ != ClockKind::tsc) return;
  const Reading now = reading();
  if (now.ns <= later_.ns || now.ticks <= later_.ticks) return;
  earlier_ = later_;
  later_ = now;
}

std::uint64_t TickLine::ticks_at(std::uint64_t time_ns) const noexcept {
  if (ring_clock_ != ClockKind::tsc) return time_ns;
  if (later_.ns == earlier_.ns) return later_.ticks;
  const double rate = static_cast<double>(later_.ticks - earlier_.ticks) / static_cast<double>(later_.ns - earlier_.ns);
  const double since_ns = static_cast<double>(static_cast<std::int64_t>(time_ns - later_.ns));
  return later_.ticks + static_cast<std::uint64_t>(static_cast<std::int64_t>(since_ns * rate));
}

}  // namespace meridian
