// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "merged/merged_trace.hpp"
#include "summary/summary.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// All data about the clocks of a merged trace: `meridian clocks --json`.
/// errors  as from reading the clock report and the bounds
Result<std::string> clock_json(const MergedTrace& trace, const Summary& summary);

}  // namespace meridian
