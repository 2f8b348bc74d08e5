// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "live/rank_now.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// The state of all ranks of a trace.
struct RanksNow {
  std::vector<World> worlds;
  std::vector<RankNow> ranks;
};

/// Reads every rank of the trace in `directory` and its subdirectories world-*: from its ring while it runs or is
/// unfinished, otherwise from its rank file. Changes nothing and delays no process. Ordered by rank.
/// problems  receives a sentence for each rank that cannot be read (its ring is on another host...).
/// errors    not_found: no such directory, or no rank in it.
Result<RanksNow> look_at_ranks(const std::filesystem::path& directory, std::vector<std::string>& problems);

/// Reads running ranks a second time after a moment: a call that has returned in between was not stuck.
void look_again(std::vector<RankNow>& ranks);

}  // namespace meridian
