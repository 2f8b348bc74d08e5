// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "merged/merged_trace.hpp"
#include "report/data/exact_windows.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// The events of the windows, one by one, and the messages and collectives between them; docs/REPORT.md has the format.
///
/// row_of  [location]: its row on the page; the number of locations or more: none
/// errors  damaged; io
Result<nlohmann::ordered_json> page_events(const MergedTrace& trace, std::span<const TimeWindow> windows,
                                           std::span<const std::uint32_t> row_of, std::size_t rows);

}  // namespace meridian
