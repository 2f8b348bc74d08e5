// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>

#include "merged/merged_trace.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// The resident memory of all processes together at the ends of bins of time; of a process before its first reading, none, after its last one,
/// that of the last one. docs/REPORT.md has the format; null if there are no readings.
///
/// begin_ns, end_ns  of the page
/// errors            damaged; io
Result<nlohmann::ordered_json> page_memory(const MergedTrace& trace, std::int64_t begin_ns, std::int64_t end_ns);

}  // namespace meridian
