#pragma once

// Who cannot go on, from who waits for whom.

#include <compare>
#include <cstdint>
#include <set>
#include <vector>

namespace meridian {

inline constexpr std::int64_t kAnyThread = -1;

/// Who may act: a thread, or whichever thread of a rank it is.
struct Party {
  std::int32_t rank = 0;
  std::int64_t thread = kAnyThread;
  auto operator<=>(const Party&) const = default;
};

/// A thread in a call that cannot return before others have done something.
struct ThreadWait {
  Party who;
  bool is_one_enough = false;
  bool helps_others = true;               ///< counts among the threads of its rank that may act for other ranks
  std::vector<std::vector<Party>> needs;  ///< per thing that is waited for, those of whom one has to act
};

/// What is known besides of who waits for whom.
struct Ended {
  std::set<std::int32_t> ranks;  ///< that are through
  std::set<Party> threads;       ///< of other ranks
};

struct Deadlock {
  std::vector<std::int32_t> ranks;  ///< that have such threads, ascending
  std::vector<Party> threads;       ///< none of which can go on, ascending
  std::vector<Party> cycle;         ///< each waits for the next, the last for the first; empty: they wait for `ended`
  std::vector<Party> ended;         ///< that they wait for and that are through
};

/// Threads that cannot go on whatever the others do; empty when there are none. A thread that is not in `waits` can
/// act, and so can a rank that has none there or one of whose threads is in `free`, unless they have ended.
Deadlock find_deadlock(const std::vector<ThreadWait>& waits, const std::set<std::int32_t>& free, const Ended& ended);

}  // namespace meridian
