#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/where/wait_for.hpp"

namespace meridian {

struct WhereReport {
  std::vector<World> worlds;
  std::vector<RankNow> ranks;
  Communicators communicators;
  std::vector<RankWait> waits;
  Deadlock deadlock;
  std::vector<std::string> problems;  ///< ranks that could not be looked at
  std::int64_t now_realtime_ns = 0;   ///< of a trace that has ended: its last event
};

/// Ranks in one call with the same arguments are one line; then what keeps whom from going on.
std::string where_text(WhereReport& report);
/// One object: `ranks[]` with `threads[]`, `deadlock`. docs/WHERE.md.
std::string where_json(WhereReport& report);

}  // namespace meridian
