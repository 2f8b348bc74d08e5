// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>

#include "trace/records/finish/finish_rank.hpp"
#include "trace/ring/ring_file.hpp"

namespace meridian {

inline constexpr std::chrono::milliseconds kSnapshotPatience{10'000};

/// Makes the rank file of a running program, in `output_dir`, with every call that has returned so far: the writer
/// drains the ring, and this function reads the drained records. Neither waits for the other except for that.
/// `ring`: opened for writing.
/// errors  not_found: the program has ended; invalid_argument: it has no rank yet; io, also if its writer does not
///         answer within `patience`.
Result<FinishedRank> snapshot_rank(RingFile& ring, const std::filesystem::path& output_dir,
                                   std::chrono::milliseconds patience);

}  // namespace meridian
