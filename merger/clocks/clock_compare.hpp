// SPDX-License-Identifier: Apache-2.0
#pragma once

// Compares the models on the user's own trace.

#include <span>
#include <vector>

#include "merger/clocks/samples/clock_correction.hpp"
#include "merger/clocks/samples/clock_samples.hpp"
#include "merger/model/clocks.hpp"
#include "trace/containers/temp_spool.hpp"
#include "trace/format/rank/rank_file.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// How each model would order the messages between domains; in the order of ClockModel.
///
/// messages            all messages that the samples were made of
/// chosen, correction  the result of `options.model`; `correction` is used only for the models hull and meridian
Result<std::vector<ClockModelSummary>> compare_models(std::span<const RankMeta* const> metas, const Clocks& first,
                                                      const ClockSamples& samples, TempSpool<DomainMessage>& messages,
                                                      const ClockOptions& options, const Clocks& chosen,
                                                      const ClockCorrection& correction);

/// The residual of the ping-pong exchanges on these clocks: the root mean square, over the quickest nine tenths of each
/// pair's exchanges, of the difference between the two ends' midpoints; ns. 0 if there are no exchanges.
double round_trip_residual(std::span<const RankMeta* const> metas, const Clocks& clocks);

}  // namespace meridian
