// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

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

/// The contents of rank-NNNNN.ring in the output directory.
struct RingNote {
  std::string host;
  std::filesystem::path ring;
};
/// nullopt: there is none, or it is no such note.
std::optional<RingNote> read_ring_note(const std::filesystem::path& path);
/// Whether the note `path` was written by the owner of the ring file that it leads to, or by root. Who can put a note
/// into a directory must not have another user's ring read into it, and removed.
Status may_follow(const std::filesystem::path& path, const RingNote& note);
/// As notes name this machine.
std::string own_hostname();

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
