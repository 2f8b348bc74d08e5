// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>

#include "trace/model/result.hpp"

namespace meridian {

class RingFile;

enum class Recovery {
  finished,       ///< the rank file was made; ring, spool and note are removed
  still_running,  ///< the process or its writer is running: nothing was changed
  rank_unknown,   ///< the process died before its rank was known: nothing was changed
};

struct RecoveredRank {
  Recovery outcome{};
  std::int32_t rank = -1;
  std::uint64_t events = 0;  ///< 0 if only leftovers were removed
  std::uint64_t damaged = 0;
  std::filesystem::path ring;
};

/// Whether the hosts to which notes lead may still be there.
enum class OtherHosts : std::uint8_t { may_run, are_gone };

/// Finishes the work of a writer that was killed. `source` is a ring file, or its note (rank-NNNNN.ring), or the note
/// of a finished rank (rank-NNNNN.done), which may have leftovers to remove. If other hosts are gone, a rank without its ring is made from what had
/// reached `output_dir`; its pieces remain, and its note becomes rank-NNNNN.lost.
/// errors  not_found: no such note or ring; invalid_argument: the ring is on another host (named in the hint), or
/// belongs to
///         another user; damaged; io.
Result<RecoveredRank> recover_rank(const std::filesystem::path& source, const std::filesystem::path& output_dir,
                                   OtherHosts others = OtherHosts::may_run);

/// Removes ring, pieces and note of a rank whose file is complete. Missing files are not an error. The removal is first
/// recorded in the ring and in the note's name, so that after an interruption the file is not made again from the
/// leftovers.
void remove_leftovers(RingFile& ring, const std::filesystem::path& output_dir);

}  // namespace meridian
