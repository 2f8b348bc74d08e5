// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trace/format/rank/rank_file.hpp"

namespace meridian {

/// For a rank without its last anchor, whose tick length is therefore unknown: adds an anchor with the present values
/// of the processor's counter and the system's clocks. Only if the rank's clock is that counter, on this machine and in
/// this boot: ticks, CLOCK_MONOTONIC and UTC must have advanced consistently since the first anchor.
void add_late_anchor(RankMeta& meta);

/// Ticks a second of the rank's clock, from its first anchor and the present values; 0: the two are too close to each other, or not
/// of the same machine and boot.
std::uint64_t tick_rate(const RankMeta& meta, ClockKind clock);

}  // namespace meridian
