#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/where/rank_now.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// All of a trace.
struct RanksNow {
  std::vector<World> worlds;
  std::vector<RankNow> ranks;
};

/// Looks at every rank of the trace in `directory` and in its folders world-*: at its ring while it runs (or nobody
/// finished it), else at its rank file. Nothing is changed, and nothing waits for us. Ordered by rank. problems  gets a
/// sentence for each rank that cannot be looked at (its ring is on another host...). errors    not_found: no such
/// directory, or no rank in it.
Result<RanksNow> look_at_ranks(const std::filesystem::path& directory, std::vector<std::string>& problems);

/// Looks once more, a moment later, at ranks that run: a call that has returned meanwhile was no obstacle.
void look_again(std::vector<RankNow>& ranks);

}  // namespace meridian
