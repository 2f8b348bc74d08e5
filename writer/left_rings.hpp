// SPDX-License-Identifier: Apache-2.0
#pragma once

// Ring files in a scratch directory that no writer will finish: their process was killed before its writer started,
// before it had an output directory, or together with its writer.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "trace/model/result.hpp"

namespace meridian {

enum class RingFate {
  in_use,      ///< its process, or a writer, is running; or this cannot be determined here (another host or container)
  empty,       ///< its process ended before it had a rank, or its rank file is complete: nobody needs it
  mergeable,   ///< `meridian merge` of `output_dir` turns it into a rank file
  unreachable  ///< it has calls, but its output directory is gone: no rank file can be made
};

struct LeftRing {
  std::filesystem::path path;
  RingFate fate{};
  std::uint64_t bytes = 0;           ///< on disk
  std::filesystem::path output_dir;  ///< empty: it never had one
  std::string executable;
};

/// The ring files in `directory`, by name. A directory that does not exist has none.
std::vector<LeftRing> find_left_rings(const std::filesystem::path& directory);

/// Removes the ring and what belongs to it, unless a process has begun to use it. errors: those of RingFile::open().
Status remove_left_ring(const LeftRing& ring);

/// Removes the empty ones, and touches no other. Never fails: what cannot be removed remains.
void remove_empty_rings(const std::filesystem::path& directory) noexcept;

}  // namespace meridian
