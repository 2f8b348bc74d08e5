// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "trace/format/rank/rank_file.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// The processes of one MPI_COMM_WORLD. A trace has several when the program starts processes or connects to others:
/// the ranks of the first world come first, then those of the second, and so on.
struct World {
  std::int32_t first_rank = 0;
  std::int32_t size = 0;
  std::string directory;     ///< directory of its rank files
  std::int64_t parent = -1;  ///< index of the world that started it; -1: none, or unknown
};

inline std::size_t world_of(std::span<const World> worlds, std::int32_t rank) noexcept {
  std::size_t world = 0;
  while (world + 1 < worlds.size() && rank >= worlds[world + 1].first_rank) ++world;
  return world;
}

/// "rank 3", or "rank 3 (rank 1 of world 2)" if there are several worlds.
inline std::string rank_name(std::span<const World> worlds, std::int32_t rank) {
  std::string name = "rank " + std::to_string(rank);
  if (worlds.size() < 2) return name;
  const std::size_t world = world_of(worlds, rank);
  return name + " (rank " + std::to_string(rank - worlds[world].first_rank) + " of world " + std::to_string(world + 1) +
         ")";
}

/// Sets `first_rank` of each world from the sizes of those before it. Returns the total number of ranks.
inline std::int32_t count_ranks(std::span<World> worlds) noexcept {
  std::int32_t ranks = 0;
  for (World& world : worlds) {
    world.first_rank = ranks;
    ranks += world.size;
  }
  return ranks;
}

/// "0, 2-5, 7" of ascending numbers.
std::string rank_ranges(std::span<const std::int32_t> ranks);

/// Whether a rank file or ring says plausibly which rank it is of.
bool has_valid_rank(const RankMeta& meta) noexcept;

/// Memory grows with the ranks that worlds claim to have, present or not: far more than are present is taken for damage.
Status check_sizes(std::span<const World> worlds, std::uint64_t present, const std::filesystem::path& directory);

/// The directory and its subdirectories world-*, ordered by number.
std::vector<std::filesystem::path> world_directories(const std::filesystem::path& directory);

}  // namespace meridian
