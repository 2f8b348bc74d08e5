// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "merger/model/findings.hpp"
#include "merger/model/trace.hpp"
#include "merger/readers/rank_place.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// Writes the samples of all ranks to a merged file (hid_t) on the common time, with the names of what was sampled. Memory holds
/// the names. Without samples it writes nothing.
///
/// places  where the tables of the trace's files are
/// errors  of the merged file: io. A rank whose samples cannot be read has none, with a finding.
Status merge_samples(const Trace& trace, std::span<const RankPlace> places, std::int64_t file, Findings& findings);

}  // namespace meridian
