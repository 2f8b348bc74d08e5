// SPDX-License-Identifier: Apache-2.0
#pragma once

// From samples and the first lines to clocks that bend, with bounds.

#include <span>

#include "merger/clocks/samples/clock_correction.hpp"
#include "merger/clocks/samples/clock_samples.hpp"
#include "merger/model/clocks.hpp"
#include "trace/format/rank_file.hpp"

namespace meridian {

/// The clocks of the models `hull` and `meridian`; fit_clocks() makes the others.
///
/// first       result of fit_clocks() with the same options; samples were taken on its maps
/// correction  receives what was added to the first lines
/// returns     maps, table, bounds and findings. Domains that messages do not connect to the reference either stay
///             where their realtime clocks place them, have no bounds, and are a finding.
Clocks refine_clocks(std::span<const RankMeta* const> metas, const Clocks& first, const ClockSamples& samples,
                     const ClockOptions& options, ClockCorrection* correction = nullptr);

}  // namespace meridian
