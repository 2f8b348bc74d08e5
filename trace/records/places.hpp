// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace meridian {

// Where the files of one rank lie before there is a rank file. A spill is a spool that the program itself wrote because
// it had no writer.
std::filesystem::path spool_in_output(const std::filesystem::path& output_dir, std::int32_t rank);
std::filesystem::path spill_in_output(const std::filesystem::path& output_dir, std::int32_t rank);
std::filesystem::path note_in_output(const std::filesystem::path& output_dir, std::int32_t rank);
std::filesystem::path spool_beside(const std::filesystem::path& ring);
std::filesystem::path spill_beside(const std::filesystem::path& ring);

/// Where what a rank recorded may lie, besides its ring. Most of it does not exist.
struct RankPieces {
  std::vector<std::filesystem::path> spools;  ///< in the order in which they were written
  std::filesystem::path checkpoint;           ///< of what was compressed; empty: nowhere
  std::filesystem::path chunks;               ///< the log that the checkpoint is about
};
/// `output_dir` may be empty.
RankPieces pieces_of(const std::filesystem::path& ring, const std::filesystem::path& output_dir, std::int32_t rank);

/// What the note of a rank is called while the rest of what its rank file was made from is removed.
std::filesystem::path finished_note(const std::filesystem::path& note);

/// What a spool is called while it is being compressed.
std::filesystem::path full_spool(const std::filesystem::path& spool);
std::filesystem::path checkpoint_in_output(const std::filesystem::path& output_dir, std::int32_t rank);
std::filesystem::path chunks_in_output(const std::filesystem::path& output_dir, std::int32_t rank);

}  // namespace meridian
