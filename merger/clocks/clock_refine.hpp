// SPDX-License-Identifier: Apache-2.0
#pragma once

// From samples and first lines to curved corrections with bounds.

#include <functional>
#include <span>

#include "merger/clocks/samples/clock_correction.hpp"
#include "merger/clocks/samples/clock_samples.hpp"
#include "merger/model/clocks.hpp"
#include "trace/format/rank/rank_file.hpp"

namespace meridian {

/// Finds out between which calls clocks were set; see place_steps().
using StepPlacer = std::function<void(ClockCorrection&)>;

/// The clocks of the models `hull` and `meridian`; fit_clocks() makes the others.
///
/// first       result of fit_clocks() with the same options; samples were taken on its maps
/// correction  receives the difference to the first lines
/// place       called if clocks have steps; may be empty
/// returns     maps, table, bounds and findings. Domains that messages do not connect to the reference either remain
///             at the position given by their realtime clocks, have no bounds, and are reported in a finding.
Clocks refine_clocks(std::span<const RankMeta* const> metas, const Clocks& first, const ClockSamples& samples,
                     const ClockOptions& options, ClockCorrection* correction = nullptr, const StepPlacer& place = {});

}  // namespace meridian
