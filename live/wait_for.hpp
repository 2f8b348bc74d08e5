// SPDX-License-Identifier: Apache-2.0
#pragma once

// Determines who waits for whom.

#include <set>
#include <vector>

#include "live/deadlock.hpp"
#include "live/rank_now.hpp"
#include "trace/definitions/communicators.hpp"

namespace meridian {

struct WhoWaits {
  std::vector<ThreadWait> waits;
  std::set<std::int32_t> free;  ///< ranks with a thread that can act in MPI
  Ended ended;
};

/// The objects that every waiting thread waits for, by world rank. A send and a receive that match wait for nobody:
/// they are about to complete. A thread that has never called MPI is not expected to start while it sleeps.
/// is_running  some process is still running; then ended processes will not act again.
WhoWaits who_waits(const std::vector<RankNow>& ranks, Communicators& communicators, bool is_running);

}  // namespace meridian
