// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include "merged/merged_trace.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// Bounds of T1 and T2 over time, by clock. errors: damaged; io.
Result<nlohmann::ordered_json> page_bounds(const MergedTrace& trace);

/// What `meridian clocks` plots, thinned: docs/REPORT.md has the format. A trace without a clock report has an empty
/// object. errors: damaged; io.
Result<nlohmann::ordered_json> page_clocks(const MergedTrace& trace);

}  // namespace meridian
