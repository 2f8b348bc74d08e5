// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "summary/summary.hpp"

namespace meridian {

/// The lock of this rank with the longest waits; nullptr: none.
const LockSummary* worst_lock(const Summary& summary, std::int32_t rank);

/// Threads wait at the same time, so the rank loses the mean of their waits; with it, ranks that wait for this one: `victims_s`.
/// threads  of the rank, at the same time
ProblemSummary describe_lock(const Summary& summary, const LockSummary& lock, const RankSummary& rank,
                             std::uint64_t threads, double victims_s);

}  // namespace meridian
