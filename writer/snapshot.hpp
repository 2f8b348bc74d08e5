// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>

#include "trace/ring/ring_file.hpp"
#include "writer/finish_rank.hpp"

namespace meridian {

/// First argument of meridian-writer when it is to make a snapshot of a ring that another writer drains.
inline constexpr const char* kMakeSnapshot = "--snapshot";
/// Where such snapshots are, below the output directory: the latest of each rank.
inline constexpr const char* kSnapshotFolder = "snapshot";
inline constexpr std::chrono::milliseconds kSnapshotPatience{10'000};

/// Makes the rank file of a program that runs, in `output_dir`, with every call that has returned until now: has its
/// writer drain the ring, and reads what it has drained. Neither waits for the other but for the draining.
/// `ring`: opened to be written.
/// errors  not_found: the program has ended; invalid_argument: it has no rank yet; io, also when its writer does not
///         answer within `patience`.
Result<FinishedRank> snapshot_rank(RingFile& ring, const std::filesystem::path& output_dir,
                                   std::chrono::milliseconds patience);

}  // namespace meridian
