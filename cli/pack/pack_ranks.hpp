// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string_view>
#include <vector>

#include "trace/model/result.hpp"

namespace meridian {

/// Counts of one call of pack_ranks(), over all directories of a trace.
struct Packed {
  std::uint64_t ranks = 0;              ///< put into containers
  std::uint64_t ranks_before = 0;       ///< were in containers
  std::uint64_t files_removed = 0;      ///< rank files
  std::uint64_t containers = 0;         ///< that the trace has now
  std::uint64_t bytes_before = 0;       ///< of rank files and containers
  std::uint64_t bytes_after = 0;        ///< the same, afterwards
  std::vector<Error> left_as_they_are;  ///< rank files and containers that cannot be read
};

/// Called with the part that is done, 0 to 1, and the current step.
using PackProgress = std::function<void(double fraction, std::string_view what)>;

/// Puts the rank files of each host in `directory`, and in the directories of its worlds, into a container. At any moment
/// each rank is in a rank file or in a complete container: a container is written under a temporary name, compared with the
/// rank files and renamed before these are removed. What an interrupted call has left is completed.
///
/// errors  not_found: there is no rank; invalid_argument: a recording is not finished, rank files are of several runs, or a
///         rank was recorded twice; io
///
/// claim  called before anything is written, if there are ranks: keeps other processes away from the directory
Result<Packed> pack_ranks(const std::filesystem::path& directory, const PackProgress& progress = {},
                          const std::function<Status()>& claim = {});

}  // namespace meridian
