// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>

#include "trace/model/result.hpp"

namespace meridian {

class RingFile;

enum class Recovery {
  finished,       ///< the rank file was made; ring, spool and note are gone
  still_running,  ///< the process or its writer is at work: nothing was touched
  rank_unknown,   ///< the process died before it knew its rank: nothing was touched
};

struct RecoveredRank {
  Recovery outcome{};
  std::int32_t rank = -1;
  std::uint64_t events = 0;  ///< 0 where only leftovers were to be removed
  std::uint64_t damaged = 0;
  std::filesystem::path ring;
};

/// Finishes the work of a writer that was killed. `source` is a ring file, or the note (rank-NNNNN.ring) that leads to
/// one; or the note of a rank that is finished (rank-NNNNN.done), of which something may be left to remove.
/// errors  not_found: no such note or ring; invalid_argument: the ring is on another host (the hint says which), or of
///         another user; damaged; io.
Result<RecoveredRank> recover_rank(const std::filesystem::path& source, const std::filesystem::path& output_dir);

/// Removes ring, pieces and note of a rank whose file is complete. What is already gone is not an error. The removal is
/// first recorded in the ring and by the note's name, so that after an interruption the file is not made again from
/// what is left.
void remove_leftovers(RingFile& ring, const std::filesystem::path& output_dir);

}  // namespace meridian
