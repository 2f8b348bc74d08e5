#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <vector>

#include "merger/findings.hpp"
#include "merger/load/worlds.hpp"
#include "trace/format/rank_file.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// Makes the rank file of a rank whose recording nobody finished. `note` is its rank-NNNNN.ring in `directory`; or its
/// rank-NNNNN.done where whoever finished it was interrupted when it removed the rest.
/// An Error says why that could not be done; the rank is then taken as it is.
using RecoverRank = std::function<Status(const std::filesystem::path& note, const std::filesystem::path& directory)>;

struct LoadedRanks {
  std::vector<RankFile> files;  ///< ordered by rank, each rank once
  std::vector<World> worlds;    ///< at least one
  std::int32_t ranks = 0;       ///< of all worlds together
  std::uint64_t bytes = 0;      ///< of the files
};

/// Opens the rank files (rank-*.h5) of one run. Each directory holds those of a world, and in folders world-* those of
/// the worlds that were started from it. Ranks are numbered on from world to world.
///
/// recover  called for every rank-*.ring first; may be empty.
/// force    of several runs in the directory, the one with the most ranks is taken (then the one with the lowest rank).
/// errors   not_found: no such directory, or no rank file in it; invalid_argument: files of several runs in it;
///          damaged, unsupported: no rank file can be read.
/// Ranks that are missing, unreadable, unfinished or incomplete become findings.
Result<LoadedRanks> load_ranks(std::span<const std::filesystem::path> directories, const RecoverRank& recover,
                               bool force, Findings& findings);

/// The directory and its folders world-*, in order of their numbers.
std::vector<std::filesystem::path> world_directories(const std::filesystem::path& directory);

}  // namespace meridian
