// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "merged/model/clock_report.hpp"
#include "merger/clocks/samples/clock_samples.hpp"
#include "merger/model/clocks.hpp"
#include "trace/format/rank/rank_file.hpp"

namespace meridian {

/// sampled  clocks on which `samples` were taken
/// lines    clocks of lines between start and end, with the reference of `clocks`
/// clocks   clocks of the merged file
ClockReport report_clocks(std::span<const RankMeta* const> metas, const Clocks& sampled, const Clocks& lines,
                          const Clocks& clocks, const ClockSamples& samples);

}  // namespace meridian
