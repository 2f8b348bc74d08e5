// SPDX-License-Identifier: Apache-2.0
#include "merger/match/windows/window_locks.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>

#include "trace/model/units.hpp"

namespace meridian {

void WindowLocks::lock(const Caller& call, std::int32_t target, bool is_exclusive) {
  held_[call.call.rank][target] = {is_exclusive, call.leave_ns};
  add(call, target);
}

void WindowLocks::use(const Caller& call, std::int32_t target) { add(call, target); }

void WindowLocks::unlock(const Caller& call, std::int32_t target) {
  add(call, target);
  const auto rank = held_.find(call.call.rank);
  if (rank == held_.end()) return;
  const auto lock = rank->second.find(target);
  if (lock == rank->second.end()) return;
  unlocks_.push_back({call, target, lock->second.is_exclusive});
  Holds& holds = holds_[{target, call.call.rank}];
  const std::int64_t held_ns = std::max<std::int64_t>(call.enter_ns - lock->second.since_ns, 0);
  ++holds.count;
  holds.total_ns += held_ns;
  holds.longest_ns = std::max(holds.longest_ns, held_ns);
  rank->second.erase(lock);
}

/// Only calls under a lock wait for locks.
void WindowLocks::add(const Caller& call, std::int32_t target) {
  const auto rank = held_.find(call.call.rank);
  if (rank == held_.end() || rank->second.empty()) return;
  auto lock = rank->second.find(target);
  if (lock == rank->second.end()) lock = rank->second.find(kAllTargets);
  if (target == kAllTargets && lock == rank->second.end()) {  // MPI_Win_flush_all under locks of single targets
    for (const auto& [each, held] : rank->second) calls_.push_back({call, each, held.is_exclusive});
  } else if (lock != rank->second.end()) {
    calls_.push_back({call, target, lock->second.is_exclusive});
  }
  if (calls_.size() >= kMostCalls) settle(calls_.size() / 2);
}

void WindowLocks::settle(std::size_t count) {
  std::ranges::stable_sort(unlocks_, {}, [](const Use& use) { return use.call.enter_ns; });
  for (std::size_t i = 0; i < count; ++i) {
    const Use& here = calls_[i];
    auto last =
        std::ranges::lower_bound(unlocks_, here.call.leave_ns, {}, [](const Use& use) { return use.call.enter_ns; });
    while (last != unlocks_.begin()) {
      const Use& other = *--last;
      if (other.call.enter_ns <= here.call.enter_ns) break;
      const bool is_same_target =
          other.target == here.target || other.target == kAllTargets || here.target == kAllTargets;
      if (other.call.call.rank == here.call.call.rank || !is_same_target) continue;
      if (!other.is_exclusive && !here.is_exclusive) continue;
      awaited_->push_back({here.call.call, other.call.call, WaitKind::window_lock});
      ++holds_[{other.target, other.call.call.rank}].waits;
      break;
    }
  }
  calls_.erase(calls_.begin(), calls_.begin() + static_cast<std::ptrdiff_t>(count));
  std::int64_t since_ns = std::numeric_limits<std::int64_t>::max();
  for (const Use& use : calls_) since_ns = std::min(since_ns, use.call.enter_ns);
  if (count != 0) std::erase_if(unlocks_, [&](const Use& use) { return use.call.enter_ns <= since_ns; });
}

std::vector<WindowLockSummary> WindowLocks::rows() const {
  std::map<std::int32_t, std::uint64_t> waits;
  for (const auto& [key, holds] : holds_) waits[key.first] += holds.waits;
  std::vector<WindowLockSummary> rows;
  for (const auto& [key, holds] : holds_)
    if (waits[key.first] != 0)
      rows.push_back({.window = {},
                      .comm = {},
                      .target = key.first,
                      .rank = key.second,
                      .holds = holds.count,
                      .hold_s = static_cast<double>(holds.total_ns) * kSecondsPerNs,
                      .longest_hold_s = static_cast<double>(holds.longest_ns) * kSecondsPerNs,
                      .waits = holds.waits});
  return rows;
}

}  // namespace meridian
