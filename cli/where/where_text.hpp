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
  Deadlock deadlock;
  std::vector<std::string> problems;  ///< ranks that could not be looked at
  std::int64_t now_realtime_ns = 0;   ///< of a trace that has ended: its last event
};

/// A thing that is waited for, in words that ranks share: peers as ranks of MPI_COMM_WORLD.
struct WaitFacts {
  WaitedFor::Kind kind{};
  CallId call{};
  std::string comm;
  std::int32_t peer = 0;  ///< world rank; kAnySource
  std::int32_t tag = 0;
};
WaitFacts facts_of(WhereReport& report, std::size_t rank, const WaitedFor& what);

/// Seconds that a thread has been in its state; negative: not known.
double seconds_in(const WhereReport& report, const ThreadNow& thread);

/// "mutex", "read-write lock"...
std::string_view name_of(LockKind kind);

/// Ranks in one call with the same arguments are one line; then what keeps whom from going on.
std::string where_text(WhereReport& report);
/// One object: `ranks[]` with `threads[]`, `deadlock`. docs/WHERE.md.
std::string where_json(WhereReport& report);

}  // namespace meridian
