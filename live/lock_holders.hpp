// SPDX-License-Identifier: Apache-2.0
#pragma once

// Holders of locks. Acquisitions of free locks are only counted, so the trace does not contain their holders. But a
// thread that finds a lock held records the holder that the C library names, and then its own acquisition: the latest
// of these records determines the holder at that time. The lock may have passed to any of its users since.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "live/rank_now.hpp"

namespace meridian {

/// Whether a thread holds an object of the kind, and other threads wait for it.
constexpr bool is_held(LockKind kind) noexcept {
  return kind == LockKind::mutex || kind == LockKind::read || kind == LockKind::write || kind == LockKind::spin;
}

class LockHolders {
 public:
  /// Kernel tid of the current holder of the lock, 0: none; nullopt if that cannot be read.
  using Look = std::function<std::optional<std::int32_t>(const WaitedFor& lock)>;

  /// Adds a recorded call of a thread on a lock. leave_ticks  0: in progress.
  void take(std::uint32_t thread, CallId call, const LockUse& use, std::uint64_t enter_ticks,
            std::uint64_t leave_ticks);

  /// Fills in the holders of the locks that `threads` wait for.
  /// counts  of acquisitions of free locks
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

  std::map<std::uint64_t, Seen> last_;  // object -> last known holder
  Users users_;                         // object -> threads that were recorded holding it
};

}  // namespace meridian
