#pragma once

// Who waits for whom.

#include <set>
#include <vector>

#include "cli/where/deadlock.hpp"
#include "cli/where/rank_now.hpp"
#include "merger/load/unify_definitions.hpp"

namespace meridian {

struct WhoWaits {
  std::vector<ThreadWait> waits;
  std::set<std::int32_t> free;  ///< ranks of which a thread can act in MPI
  Ended ended;
};

/// What every thread waits for, by world rank; those that wait for nothing are not in it. A send and the receive that
/// stand opposite each other wait for nobody: they are about to meet. A thread that has never called MPI is not
/// expected to begin it while it sleeps. is_running: a process has not ended, so that those that have will not act
/// again.
WhoWaits who_waits(const std::vector<RankNow>& ranks, Communicators& communicators, bool is_running);

}  // namespace meridian
