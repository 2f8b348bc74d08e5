// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

#include "merger/repair/repair_tables.hpp"
#include "trace/containers/mapped_array.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// The times that the calls would have had if recording cost nothing.
///
/// input        with the times of the clocks; they are replaced.
/// without      [rows] the same calls, each thread by itself: without the cost of its own recording, so that its calls and the
///              pauses between them are shorter. The times of a rank with several threads are those of the clocks: it keeps
///              them, because its threads wait for each other.
///
/// A call that waited for a send, or for other ranks to enter a collective, ends as long after it as it did; one that did not
/// wait is as long as in `without`, but ends after what it must follow. No end comes later than it did, unless the clocks
/// contradict the messages.
/// Source: A. D. Malony, S. S. Shende, "Models for on-the-fly compensation of measurement overhead in parallel performance
/// profiling", Euro-Par 2005.
/// errors  as for repair_causality().
Status remove_overhead(RepairInput& input, const MappedArray<TimePair>& without, TempSpool<MatchedMessage>& messages,
                       TempSpool<CollectivePart>& collectives, const std::filesystem::path& scratch);

}  // namespace meridian
