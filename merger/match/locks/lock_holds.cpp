// SPDX-License-Identifier: Apache-2.0
#include "merger/match/locks/lock_holds.hpp"

#include <algorithm>

#include "trace/model/lock_kinds.hpp"

namespace meridian {

void LockHolds::add(const Call& call, std::int64_t enter_ns, std::int64_t leave_ns) {
  const LockUse& use = *call.lock;
  const auto kind = static_cast<LockKind>(use.kind);
  const LockObject lock{object_kind(kind), use.object};
  const LockUseKind what = lock_facts(call.call).use;
  if (what == LockUseKind::release) return release(call.thread, lock, enter_ns);
  if (what != LockUseKind::take || call.has(kFlagUnfinished)) return;
  if (kind == LockKind::condition) {
    if (use.mutex == 0) return;
    const LockObject mutex{LockKind::mutex, use.mutex};
    release(call.thread, mutex, enter_ns);
    return take(call.thread, mutex, leave_ns);  // again, even if the wait was given up
  }
  const bool is_lock = kind == LockKind::mutex || kind == LockKind::read || kind == LockKind::write ||
                       kind == LockKind::spin || kind == LockKind::omp;
  if (is_lock && !call.has(kFlagFailed)) take(call.thread, lock, leave_ns);
}

void LockHolds::take(std::uint32_t thread, const LockObject& lock, std::int64_t ns) {
  if (const auto again = held_.find({thread, lock}); again != held_.end()) {
    ++again->second.times;
    return;
  }
  if (held_.size() < kMostHeld) held_[{thread, lock}] = {ns};
}

void LockHolds::release(std::uint32_t thread, const LockObject& lock, std::int64_t ns) {
  const auto held = held_.find({thread, lock});
  if (held == held_.end() || --held->second.times != 0) return;
  const std::int64_t length_ns = std::max<std::int64_t>(ns - held->second.since_ns, 0);
  held_.erase(held);
  if (sums_.size() >= kMostHeld && !sums_.contains(lock)) return;
  Sum& sum = sums_[lock];
  ++sum.count;
  sum.total_ns += length_ns;
  sum.longest_ns = std::max(sum.longest_ns, length_ns);
}

const LockHolds::Sum* LockHolds::of(const LockObject& object) const {
  const auto found = sums_.find(object);
  return found == sums_.end() ? nullptr : &found->second;
}

}  // namespace meridian
