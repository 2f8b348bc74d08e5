#pragma once

// Who has a lock. Locks that are free when they are wanted are only counted, so their holders are not in the trace. But
// who finds one taken notes whom the C library names as its holder, and taking it in the end is recorded: the latest of
// these tells who had it then. Since then it may have gone on to any thread that takes it now and then.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "cli/where/rank_now.hpp"

namespace meridian {

class LockHolders {
 public:
  /// Kernel tid of who has the lock at this moment, 0: nobody; nullopt where that cannot be seen.
  using Look = std::function<std::optional<std::int32_t>(const WaitedFor& lock)>;

  /// A recorded call of a thread on a lock. leave_ticks  0: it is under way.
  void take(std::uint32_t thread, CallId call, const LockUse& use, std::uint64_t enter_ticks,
            std::uint64_t leave_ticks);

  /// Fills in who keeps each of `threads` from the lock that it waits for.
  /// counts  of locks that were free when they were wanted
  void resolve(std::vector<ThreadNow>& threads, std::span<const LockCountRow> counts, const Look& look) const;

 private:
  enum class Holder : std::uint8_t { nobody, unknown, tid, thread };
  struct Seen {
    std::uint64_t ticks = 0;
    Holder holder = Holder::unknown;
    std::int64_t number = 0;  // kernel tid, or thread
  };
  using Users = std::map<std::uint64_t, std::set<std::uint32_t>>;

  void note(std::uint64_t object, const Seen& seen);
  std::vector<std::uint32_t> holders(const std::vector<ThreadNow>& threads, const ThreadNow& waiter,
                                     const WaitedFor& lock, const Users& users, const Look& look) const;

  std::map<std::uint64_t, Seen> last_;  // object -> who had it when that was last known
  Users users_;                         // object -> threads that were recorded having it
};

}  // namespace meridian
