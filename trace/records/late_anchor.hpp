// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trace/format/rank_file.hpp"

namespace meridian {

/// For a rank that never came to its last anchor, so that nothing tells how long its ticks are: adds what the
/// processor's counter and the system's clocks say now, here. Only where the rank's clock is that counter and this is
/// the machine and the boot that it was read on: ticks, CLOCK_MONOTONIC and UTC must have gone on together since its
/// first anchor.
void add_late_anchor(RankMeta& meta);

}  // namespace meridian
