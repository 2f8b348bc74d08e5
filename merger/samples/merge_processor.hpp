// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "merger/model/findings.hpp"
#include "merger/model/trace.hpp"
#include "merger/readers/rank_place.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// Writes the intervals of all ranks in which threads had no processor to a merged file (hid_t) on the common time. Without any it
/// writes nothing.
///
/// places  where the tables of the trace's files are
/// errors  of the merged file: io. A rank whose intervals cannot be read has none, with a finding.
Status merge_processor(const Trace& trace, std::span<const RankPlace> places, std::int64_t file, Findings& findings);

}  // namespace meridian
