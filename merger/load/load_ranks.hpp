#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <vector>

#include "merger/findings.hpp"
#include "trace/format/rank_file.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// Makes the rank file of a rank whose recording nobody finished. `note` is its rank-NNNNN.ring in `directory`.
/// An Error says why that could not be done; the rank is then taken as it is.
using RecoverRank = std::function<Status(const std::filesystem::path& note, const std::filesystem::path& directory)>;

struct LoadedRanks {
  std::vector<RankFile> files;  ///< ordered by rank, each rank once
  std::int32_t world_size = 0;
  std::uint64_t bytes = 0;  ///< of the files
};

/// Opens the rank files (rank-*.h5) of one run.
///
/// recover  called for every rank-*.ring first; may be empty.
/// force    of several runs in the directory, the one with the most ranks is taken (then the one with the lowest rank).
/// errors   not_found: no such directory, or no rank file in it; invalid_argument: files of several runs;
///          damaged, unsupported: no rank file can be read.
/// Ranks that are missing, unreadable, unfinished or incomplete become findings.
Result<LoadedRanks> load_ranks(const std::filesystem::path& directory, const RecoverRank& recover, bool force,
                               Findings& findings);

}  // namespace meridian
