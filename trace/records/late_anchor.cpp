// SPDX-License-Identifier: Apache-2.0
#include "trace/records/late_anchor.hpp"

#include <algorithm>
#include <cmath>

#include "trace/model/processor_counter.hpp"
#include "trace/model/system_clock.hpp"
#include "trace/model/units.hpp"

namespace meridian {
namespace {

/// False: this processor has no supported counter.
bool read_anchor(AnchorRow& anchor) {
  for (int i = 0; i < 8; ++i) {
    AnchorRow now{.phase = AnchorPhase::epoch};
    wait_for_loads();
    now.before_ticks = read_processor_counter();
    now.monotonic_ns = monotonic_now_ns();
    now.realtime_ns = system_clock_ns(CLOCK_REALTIME);
    wait_for_loads();
    now.after_ticks = read_processor_counter();
    if (i == 0 || now.after_ticks - now.before_ticks < anchor.after_ticks - anchor.before_ticks) anchor = now;
  }
  return kHasProcessorCounter;
}

/// Whether both can have been read on one machine in one boot.
bool belong_together(const AnchorRow& first, const AnchorRow& now) {
  const double ticks = static_cast<double>(now.before_ticks) - static_cast<double>(first.before_ticks);
  const double monotonic = static_cast<double>(now.monotonic_ns) - static_cast<double>(first.monotonic_ns);
  const double realtime = static_cast<double>(now.realtime_ns) - static_cast<double>(first.realtime_ns);
  return ticks > kSlowestCounterGhz * monotonic && ticks < 10 * monotonic && monotonic > 0 &&
         std::abs(realtime - monotonic) < 1e9 + 0.01 * monotonic;
}

}  // namespace

void add_late_anchor(RankMeta& meta) {
  if (meta.clock != ClockKind::tsc || meta.anchors.empty()) return;
  if (std::ranges::any_of(meta.anchors, [](const AnchorRow& row) { return row.phase == AnchorPhase::finish; })) return;
  AnchorRow now;
  if (read_anchor(now) && belong_together(meta.anchors.front(), now)) meta.anchors.push_back(now);
}

std::uint64_t tick_rate(const RankMeta& meta, ClockKind clock) {
  constexpr std::int64_t kLongEnoughNs = 1'000'000;
  if (clock != ClockKind::tsc) return static_cast<std::uint64_t>(kNsPerSecond);
  AnchorRow now;
  if (meta.anchors.empty() || !read_anchor(now) || !belong_together(meta.anchors.front(), now)) return 0;
  const AnchorRow& first = meta.anchors.front();
  const std::int64_t passed_ns = now.monotonic_ns - first.monotonic_ns;
  if (passed_ns < kLongEnoughNs) return 0;
  return static_cast<std::uint64_t>(static_cast<double>(now.before_ticks - first.before_ticks) /
                                    static_cast<double>(passed_ns) * kNsPerSecond);
}

}  // namespace meridian
