// SPDX-License-Identifier: Apache-2.0
#pragma once

// Waits for locks: by whom, for how long, and for which holder; the locks of one rank, added up by object. Also waits
// for the ends of threads.

#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "merger/load/thread_cursor.hpp"
#include "merger/match/locks/lock_holds.hpp"
#include "merger/match/locks/lock_uses.hpp"
#include "summary/summary.hpp"
#include "trace/format/rank/rank_file.hpp"

namespace meridian {

/// Adds up the lock calls of one rank. An object is identified by its address: a new lock at the address of an old one
/// counts as the same object, with one more of `lives`.
class LockTable {
 public:
  /// Adds a call, which began at `enter_ns` and lasted `duration_ns` on the global clock. Calls come in order of enter.
  void add(const Call& call, std::int64_t enter_ns, std::int64_t duration_ns);

  /// Adds a call that waits for the end of a thread; any other call has no effect.
  void add_join(const Call& call, std::int64_t duration_ns);
  /// (waiting thread, thread) -> time for which the first waited for the end of the second.
  const std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t>& joined_ns() const { return joined_ns_; }

  /// Rows by wait time, longest first, including the counts of the threads. `meta` is the rank's.
  std::vector<LockSummary> rows(const RankMeta& meta) const;

 private:
  struct Lock {
    std::uint64_t acquisitions = 0;  // recorded ones
    std::uint64_t contended = 0;
    std::uint64_t lives = 0;
    std::uint64_t opens = 0;  // of a named semaphore, minus its closes: glibc uses one address for all of them
    std::int64_t wait_ns = 0;
    std::int64_t longest_ns = 0;
    std::uint64_t most_waiters = 0;
    std::vector<std::uint64_t> leaves;               // ends of the waits in progress, in ticks
    std::map<std::int32_t, std::uint64_t> holders;   // kernel tid -> waits for it
    std::map<std::uint32_t, std::uint64_t> waiters;  // thread -> its waits
  };
  Lock& at(LockKind kind, std::uint64_t object);

  std::unordered_map<LockObject, Lock, LockObjectHash> locks_;
  LockHolds holds_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> joined_ns_;
};

}  // namespace meridian
