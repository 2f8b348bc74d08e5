// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "merger/model/clock_map.hpp"
#include "summary/rows/run_rows.hpp"
#include "trace/format/rank/rank_file.hpp"

namespace meridian {

/// Sets the times for which a rank was not recorded (MERIDIAN_WINDOW, MPI_Pcontrol), between its first event and its last; and the part that
/// was, if nearly all of it is in one piece. `rank.ends_s` must be known. first_ns, last_ns  on the common time
void fill_recorded_time(const RankMeta& meta, const ClockMap& clock, std::int64_t first_ns, std::int64_t last_ns,
                        RankSummary& rank);

}  // namespace meridian
