// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>

#include "merged/merged_trace.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// Bins of time in which counters are added up.
inline constexpr std::size_t kCounterBins = 256;

/// How much each counter grew in bins of time, over all threads: in a call at its beginning, between calls evenly.
/// docs/REPORT.md has the format; empty if there are no counters.
///
/// first_rows  [bin]: the first event that begins in the bin or later
/// errors  damaged; io
Result<nlohmann::ordered_json> page_counters(const MergedTrace& trace, std::span<const std::uint64_t> first_rows,
                                             std::int64_t bin_ns);

}  // namespace meridian
