// SPDX-License-Identifier: Apache-2.0
#include "merger/match/windows/window_waits.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>

namespace meridian {

WindowWaits::WindowWaits(const Trace& trace, std::vector<AwaitedCall>& awaited) : trace_{&trace}, awaited_{&awaited} {
  if (!are_calls_countable(trace)) return;
  for (const std::uint32_t members : trace.objects.window_members)
    windows_.push_back({.collectives = ObjectCalls{members, trace.files.size(), WaitKind::fence},
                        .epochs = WindowEpochs{awaited},
                        .locks = WindowLocks{awaited}});
}

void WindowWaits::add(const Caller& caller, const Call& call, const CallFacts& what) {
  if (windows_.empty() || call.has(kFlagFailed) || call.has(kFlagUnfinished)) return;
  Window* const window = find(caller, call, what);
  if (window == nullptr) return;
  if (call.payload == Payload::rma && what.role != Role::plain) {
    window->epochs.access(caller.call.rank, caller);
    window->locks.use(caller, call.rma->target);
    return;
  }
  if (what.role == Role::make_window) return window->collectives.arrive(caller, *awaited_);
  synchronise(*window, caller, call);
}

void WindowWaits::end() {
  for (Window& window : windows_) window.locks.end();
}

/// Windows of one name on one communicator are one for the user.
std::vector<WindowLockSummary> WindowWaits::locks() const {
  std::map<std::tuple<std::uint32_t, std::int32_t, std::int32_t>, WindowLockSummary> sums;
  for (std::size_t i = 0; i < windows_.size(); ++i)
    for (const WindowLockSummary& row : windows_[i].locks.rows()) {
      const std::uint32_t object = trace_->objects.window_objects[i];
      WindowLockSummary& sum = sums[{object, row.target, row.rank}];
      sum.window = trace_->objects.windows[object].name;
      sum.comm = trace_->objects.windows[object].comm;
      sum.target = row.target;
      sum.rank = row.rank;
      sum.holds += row.holds;
      sum.hold_s += row.hold_s;
      sum.longest_hold_s = std::max(sum.longest_hold_s, row.longest_hold_s);
      sum.waits += row.waits;
    }
  std::vector<WindowLockSummary> rows;
  rows.reserve(sums.size());
  for (const auto& [key, row] : sums) rows.push_back(row);
  std::ranges::stable_sort(rows, [](const WindowLockSummary& a, const WindowLockSummary& b) {
    return std::tie(a.window, a.comm, a.target, b.hold_s) < std::tie(b.window, b.comm, b.target, a.hold_s);
  });
  return rows;
}

WindowWaits::Window* WindowWaits::find(const Caller& caller, const Call& call, const CallFacts& what) {
  const ObjectHandles& handles = trace_->objects.ranks[caller.rank_index].each_window;
  std::uint32_t number = ObjectHandles::kNone;
  if (call.payload == Payload::rma) number = handles.at(call.rma->window, call.enter_ticks);
  if (call.payload == Payload::handle)
    number = what.role == Role::make_window ? handles.made_by(call.handle->handle, call.leave_ticks)
                                            : handles.at(call.handle->handle, call.enter_ticks);
  return number < windows_.size() ? &windows_[number] : nullptr;
}

void WindowWaits::synchronise(Window& window, const Caller& caller, const Call& call) {
  const std::int32_t rank = caller.call.rank;
  // Earlier versions did not record the target of a lock.
  const Rma* const rma = call.payload == Payload::rma ? call.rma : nullptr;
  switch (call.call) {
    case CallId::Win_fence:
    case CallId::Win_free:
      return window.collectives.arrive(caller, *awaited_);
    case CallId::Win_start:
      return window.epochs.start(rank, caller, group_of(caller, call));
    case CallId::Win_complete:
      return window.epochs.complete(rank, caller);
    case CallId::Win_post:
      return window.epochs.post(rank, caller, group_of(caller, call));
    case CallId::Win_wait:
      return window.epochs.wait(rank, caller);
    case CallId::Win_lock:
      if (rma != nullptr) window.locks.lock(caller, rma->target, rma->displacement == kLockExclusive);
      return;
    case CallId::Win_lock_all:
      return window.locks.lock(caller, WindowLocks::kAllTargets, false);
    case CallId::Win_flush:
    case CallId::Win_flush_local:
      if (rma != nullptr) window.locks.use(caller, rma->target);
      return;
    case CallId::Win_flush_all:
    case CallId::Win_flush_local_all:
      return window.locks.use(caller, WindowLocks::kAllTargets);
    case CallId::Win_unlock:
      if (rma != nullptr) window.locks.unlock(caller, rma->target);
      return;
    case CallId::Win_unlock_all:
      return window.locks.unlock(caller, WindowLocks::kAllTargets);
    default:
      return;
  }
}

/// World ranks, without those of other worlds and those whose files are missing.
std::vector<std::int32_t> WindowWaits::group_of(const Caller& caller, const Call& call) const {
  const std::int32_t first = trace_->worlds[world_of(trace_->worlds, caller.call.rank)].first_rank;
  std::vector<std::int32_t> ranks;
  for (std::uint32_t i = 0; i < call.completion_count; ++i) {
    const std::int64_t rank = std::int64_t{call.completions[i].source} + first;
    if (call.completions[i].source < 0 || rank >= std::ssize(trace_->rank_index)) continue;
    if (trace_->rank_index[static_cast<std::size_t>(rank)] != kMissingRank)
      ranks.push_back(static_cast<std::int32_t>(rank));
  }
  return ranks;
}

}  // namespace meridian
