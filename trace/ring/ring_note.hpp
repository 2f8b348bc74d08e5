// SPDX-License-Identifier: Apache-2.0
#pragma once

// The note that leads from the output directory to a rank's ring file.

#include <filesystem>
#include <optional>
#include <string>

#include "trace/model/result.hpp"

namespace meridian {

/// Extension of a note whose rank file is complete: ring and pieces are being removed.
inline constexpr const char* kFinishedNote = ".done";

/// The contents of rank-NNNNN.ring in the output directory.
struct RingNote {
  std::string host;
  std::filesystem::path ring;
};
/// nullopt: there is none, or it is not a valid note.
std::optional<RingNote> read_ring_note(const std::filesystem::path& path);
/// Whether the note `path` was written by the owner of the ring file that it leads to, or by root. A user who can put a
/// note into a directory must not cause another user's ring to be read into it and removed.
Status may_follow(const std::filesystem::path& path, const RingNote& note);
/// The name of this machine in notes.
std::string own_hostname();

}  // namespace meridian
