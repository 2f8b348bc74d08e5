// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "merger/load/load_ranks.hpp"
#include "merger/model/findings.hpp"
#include "merger/model/trace.hpp"

namespace meridian {

/// The RankMeta of every file, in the same order.
std::vector<const RankMeta*> metas_of(std::span<const RankFile> files);

/// Builds the trace of the loaded ranks, except for its clocks: call names, communicators, objects, user definitions
/// and recording gaps, each unified across ranks. The trace refers to `ranks`.
Trace describe_trace(LoadedRanks& ranks, Findings& findings);

/// Number of parts of the rank files that are known to be unreadable.
std::size_t count_damaged_parts(std::span<const RankFile> files);
/// Reads every segment once, so that count_damaged_parts() counts all unreadable ones.
void find_damaged_parts(std::span<RankFile> files);

}  // namespace meridian
