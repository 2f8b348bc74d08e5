// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "live/rank_now.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// The ranks of a whole trace.
struct RanksNow {
  std::vector<World> worlds;
  std::vector<RankNow> ranks;
};

/// Reads every rank of the trace in `directory` and its folders world-*: its ring while it runs or is unfinished, else
/// its rank file. Changes nothing, and nothing waits for the reading. Ordered by rank.
/// problems  gets a sentence for each rank that cannot be read (its ring is on another host...).
/// errors    not_found: no such directory, or no rank in it.
Result<RanksNow> look_at_ranks(const std::filesystem::path& directory, std::vector<std::string>& problems);

/// Reads running ranks once more, a moment later: a call that has returned meanwhile was not stuck.
void look_again(std::vector<RankNow>& ranks);

}  // namespace meridian
