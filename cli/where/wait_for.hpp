#pragma once

// Who waits for whom.

#include <cstdint>
#include <set>
#include <vector>

#include "cli/where/rank_now.hpp"
#include "merger/load/unify_definitions.hpp"

namespace meridian {

/// A rank, because one of its threads is in a call that cannot return before others have done something.
struct RankWait {
  std::int32_t rank = 0;
  std::uint32_t thread = 0;
  bool is_one_enough = false;
  std::vector<std::vector<std::int32_t>>
      needs;  ///< per thing that is waited for, the world ranks of which one has to act
};

struct Deadlock {
  std::vector<std::int32_t> ranks;  ///< none of which can go on, ascending
  std::vector<std::int32_t> cycle;  ///< each waits for the next, the last for the first; empty: they wait for `ended`
  std::vector<std::int32_t> ended;  ///< ranks that they wait for and that are through
};

/// What every rank waits for, by world rank; those that wait for nothing are not in it. A send and the receive that
/// stand opposite each other wait for nobody: they are about to meet. Ranks of which a thread is outside MPI can still
/// act, and are not in it either.
std::vector<RankWait> waits_of(const std::vector<RankNow>& ranks, Communicators& communicators);

/// Ranks that cannot go on whatever the others do; empty when there are none. A rank that is not in `waits` can act,
/// unless it is one of `ended`.
Deadlock find_deadlock(const std::vector<RankWait>& waits, const std::set<std::int32_t>& ended);

}  // namespace meridian
