// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "merger/model/clocks.hpp"
#include "trace/format/rank/rank_file.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// Groups ranks into clock domains and maps each to the clock of the reference, from ping-pong exchanges and anchors
/// only. For the models hull and meridian the result is that of linear; refine_clocks() starts from it.
/// metas    [ranks] of the files present, by rank. Global time 0 is the earliest moment that any of them recorded, so
///          that no time is negative.
/// table    `local` is a domain's CLOCK_MONOTONIC, continued with its own tick rate; `global` is the reference's:
///          global = local + offset_s at global time 0, and offset_s grows by drift_ppm from there. The reference has
///          zeros. Errors along a path over several domains are summed in quadrature; residual and round trip times are
///          those of the last edge.
/// errors   invalid_argument: no ranks; the rank or host of the option `reference` does not exist
Result<Clocks> fit_clocks(std::span<const RankMeta* const> metas, const ClockOptions& options);

}  // namespace meridian
