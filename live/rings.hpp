// SPDX-License-Identifier: Apache-2.0
#pragma once

// The rings of a running program, found through its trace directory.

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "trace/model/result.hpp"
#include "trace/ring/ring_file.hpp"
#include "trace/ring/ring_note.hpp"

namespace meridian {

struct FoundRing {
  std::filesystem::path note_path;
  RingNote note;
  std::filesystem::path world;  ///< directory of its world, relative to the trace; ".": the first world
};

struct FoundRings {
  std::vector<FoundRing> rings;  ///< on this host, sorted by world
  std::size_t elsewhere = 0;     ///< ranks whose rings are on other hosts
};

/// The rings to which the notes in `directory` refer.
FoundRings find_rings(const std::filesystem::path& directory);

/// Opens one of them. errors: those of open_noted_ring().
Result<RingFile> open_ring(const FoundRing& ring, RingFile::Access access);

/// The error if there is no running program.
Error nothing_runs(const std::string& directory, const FoundRings& found);

/// " (3 are on other hosts)", or an empty text.
std::string say_elsewhere(const FoundRings& found);

}  // namespace meridian
