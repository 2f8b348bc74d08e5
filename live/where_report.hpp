// SPDX-License-Identifier: Apache-2.0
#pragma once

// The state of every rank of a trace, and who waits for whom: the data of `meridian where`.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "live/wait_for.hpp"
#include "trace/model/result.hpp"

namespace meridian {

struct WhereReport {
  std::vector<World> worlds;  ///< at least one
  std::vector<RankNow> ranks;
  Communicators communicators;  ///< of `ranks`; filled in by the caller
  Deadlock deadlock;
  std::vector<std::string> problems;  ///< ranks that could not be read
  std::int64_t now_realtime_ns = 0;   ///< for a trace that has ended: time of its last event

  bool is_running() const;  ///< whether a process of a rank is alive
};

/// Reads every rank, and those of a running program twice. `communicators` and `deadlock` remain empty.
/// errors  those of look_at_ranks()
Result<WhereReport> look_at_trace(const std::filesystem::path& directory);

/// Fills in `deadlock`; `communicators` must be known.
void find_deadlock(WhereReport& report);

/// An object that a thread waits for, in terms that all ranks share: peers are ranks of MPI_COMM_WORLD.
struct WaitFacts {
  WaitedFor::Kind kind{};
  CallId call{};
  std::string comm;
  std::int32_t peer = 0;  ///< world rank; kAnySource
  std::int32_t tag = 0;
};
WaitFacts facts_of(WhereReport& report, std::size_t rank, const WaitedFor& what);

/// Seconds that a thread has been in its state; negative: unknown.
double seconds_in(const WhereReport& report, const ThreadNow& thread);

}  // namespace meridian
