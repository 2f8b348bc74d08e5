// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace meridian {

// The locations of a rank's files before its rank file is made. A spill is a spool that the program wrote itself
// because it had no writer.
std::filesystem::path spool_in_output(const std::filesystem::path& output_dir, std::int32_t rank);
std::filesystem::path spill_in_output(const std::filesystem::path& output_dir, std::int32_t rank);
std::filesystem::path samples_in_output(const std::filesystem::path& output_dir, std::int32_t rank);
std::filesystem::path note_in_output(const std::filesystem::path& output_dir, std::int32_t rank);
/// A copy of the ring's head (write_ring_head()), for when the ring is gone with its host.
std::filesystem::path head_in_output(const std::filesystem::path& output_dir, std::int32_t rank);
std::filesystem::path spool_beside(const std::filesystem::path& ring);
std::filesystem::path spill_beside(const std::filesystem::path& ring);

/// The possible locations of a rank's records, besides its ring. Most of these files do not exist.
struct RankPieces {
  std::vector<std::filesystem::path> spools;  ///< in the order in which they were written
  std::filesystem::path checkpoint;           ///< of the compressed records; empty: no location
  std::filesystem::path chunks;               ///< the log to which the checkpoint refers
  std::filesystem::path samples;              ///< of its threads; empty: no location
  std::filesystem::path head;                 ///< copy of the ring's head; empty: no location
};
/// `output_dir` may be empty.
RankPieces pieces_of(const std::filesystem::path& ring, const std::filesystem::path& output_dir, std::int32_t rank);

/// Where a flight recorder leaves the profile of the whole run, in the directory of the trace.
inline constexpr const char* kWholeDirectory = "whole";

/// The name of a rank's note while the leftovers of its rank file are removed.
std::filesystem::path finished_note(const std::filesystem::path& note);

std::filesystem::path checkpoint_in_output(const std::filesystem::path& output_dir, std::int32_t rank);
std::filesystem::path chunks_in_output(const std::filesystem::path& output_dir, std::int32_t rank);

}  // namespace meridian
