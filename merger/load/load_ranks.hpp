// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <vector>

#include "merger/model/findings.hpp"
#include "merger/readers/rank_place.hpp"
#include "merger/readers/rank_readers.hpp"
#include "merger/readers/reader_process.hpp"
#include "trace/definitions/worlds.hpp"
#include "trace/format/rank/rank_file.hpp"
#include "trace/model/result.hpp"

namespace meridian {

struct LoadedRanks {
  std::vector<RankFile> files;    ///< ordered by rank, each rank once
  std::vector<RankPlace> places;  ///< [files]
  std::vector<World> worlds;      ///< at least one
  std::int32_t ranks = 0;         ///< in all worlds together
  std::uint64_t bytes = 0;        ///< total size of the files
};

/// Opens the rank files (rank-*.h5) of one run, and the ranks in containers (ranks-*.h5). Each directory holds those of one world, and subdirectories world-*
/// hold those of the worlds that were started from it. Rank numbers continue from world to world.
///
/// recover  called first, for every rank-*.ring; may be empty.
/// force    when a directory holds several runs, take the one with the most ranks (of equals, the one with the lowest
/// rank).
/// readers  the processes that open and read the files, and finish what recover could not; null: only this one.
/// errors   those of RankReaders::open(); not_found: no such directory, or no rank file in it; invalid_argument: files of several runs in it;
///          damaged, unsupported: no rank file can be read.
/// Ranks that are missing, unreadable, unfinished or incomplete become findings.
Result<LoadedRanks> load_ranks(std::span<const std::filesystem::path> directories, const RecoverRank& recover,
                               bool force, Findings& findings, RankReaders* readers = nullptr);

}  // namespace meridian
