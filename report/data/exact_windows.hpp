// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "merged/merged_trace.hpp"

namespace meridian {

/// The parts of the run whose events the page has, one by one. Chooses slots of time whose events together are at most `most`: those
/// of `wanted` (most wanted first), then their neighbours, then others, evenly spread. Neighbouring slots become one window.
///
/// counts  events of each slot; the first begins at begin_ns, each lasts width_ns
std::vector<TimeWindow> choose_windows(std::span<const std::uint32_t> counts, std::int64_t begin_ns,
                                       std::int64_t width_ns, std::span<const std::size_t> wanted, std::uint64_t most);

}  // namespace meridian
