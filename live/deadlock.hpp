// SPDX-License-Identifier: Apache-2.0
#pragma once

// Finds the threads that cannot proceed, from who waits for whom.

#include <compare>
#include <cstdint>
#include <set>
#include <vector>

namespace meridian {

inline constexpr std::int64_t kAnyThread = -1;

/// A party that may act: one thread, or any thread of a rank.
struct Party {
  std::int32_t rank = 0;
  std::int64_t thread = kAnyThread;
  auto operator<=>(const Party&) const = default;
};

/// A thread in a call that cannot return until others have acted.
struct ThreadWait {
  Party who;
  bool is_one_enough = false;
  bool helps_others = true;               ///< one of the threads of its rank that may act for other ranks
  std::vector<std::vector<Party>> needs;  ///< for each object that it waits for: the parties, one of which has to act
};

/// Ranks and threads that will not act again.
struct Ended {
  std::set<std::int32_t> ranks;  ///< ranks that have ended
  std::set<Party> threads;       ///< ended threads of other ranks
};

struct Deadlock {
  std::vector<std::int32_t> ranks;  ///< ranks with stuck threads, ascending
  std::vector<Party> threads;       ///< stuck threads, ascending
  std::vector<Party> cycle;         ///< each waits for the next, the last for the first; empty: they wait for `ended`
  std::vector<Party> ended;         ///< parties that have ended and that stuck threads wait for
};

/// Finds threads that cannot proceed whatever the others do; empty if there are none. A thread that is not in `waits`
/// can act, as can a rank in `free` or without any thread in `waits`. Parties in `ended` cannot.
Deadlock find_deadlock(const std::vector<ThreadWait>& waits, const std::set<std::int32_t>& free, const Ended& ended);

}  // namespace meridian
