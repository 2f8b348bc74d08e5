// SPDX-License-Identifier: Apache-2.0
#pragma once

// The note that leads from the output directory to a rank's ring file.

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>

#include "trace/model/result.hpp"
#include "trace/ring/ring_file.hpp"

namespace meridian {

/// Extension of a note whose rank file is complete: ring and pieces are being removed.
inline constexpr const char* kFinishedNote = ".done";

/// The contents of rank-NNNNN.ring in the output directory.
struct RingNote {
  std::string host;
  std::filesystem::path ring;
  uid_t owner = 0;  ///< who wrote the note
};
/// nullopt: there is none, or it is not a valid note. A symbolic link is no note.
std::optional<RingNote> read_ring_note(const std::filesystem::path& path);
/// Opens the ring file to which the note `path` leads, if the note was written by the owner of this file, or by root. A
/// user who can put a note into a directory must not cause another user's ring to be read into it and removed.
/// errors  those of RingFile::open(); invalid_argument: the note is another user's.
Result<RingFile> open_noted_ring(const std::filesystem::path& path, const RingNote& note, RingFile::Access access);
/// The name of this machine in notes.
std::string own_hostname();

}  // namespace meridian
