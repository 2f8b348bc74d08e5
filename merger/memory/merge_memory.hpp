// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "merger/model/findings.hpp"
#include "merger/model/trace.hpp"
#include "merger/readers/rank_place.hpp"
#include "summary/rows/memory_rows.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// Writes the memory of all ranks over time to a merged file (hid_t) on the common time. Without readings it writes nothing. Swapping and
/// steady growth are findings.
///
/// places   where the tables of the trace's files are
/// returns  a row for each rank with readings, by rank
/// errors   of the merged file: io. A rank whose readings cannot be read has none, with a finding.
Result<std::vector<RankMemorySummary>> merge_memory(const Trace& trace, std::span<const RankPlace> places,
                                                    std::int64_t file, Findings& findings);

}  // namespace meridian
