// SPDX-License-Identifier: Apache-2.0
#include "merger/match/windows/window_waits.hpp"

#include <algorithm>
#include <iterator>

namespace meridian {

WindowWaits::WindowWaits(const Trace& trace, std::vector<AwaitedCall>& awaited) : trace_{&trace}, awaited_{&awaited} {
  const auto has_losses = [](const RecordingGaps& gaps) {
    return !gaps.lost_bounds.empty() || !gaps.paused_ticks.empty();
  };
  if (trace.gaps.has_gaps || trace.gaps.has_selection || std::ranges::any_of(trace.gaps.ranks, has_losses)) return;
  for (const std::uint32_t members : trace.objects.window_members)
    windows_.push_back({.members = members,
                        .entered = std::vector<std::uint64_t>(trace.files.size()),
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
  if (what.role == Role::make_window) return arrive(*window, caller);
  synchronise(*window, caller, call);
}

void WindowWaits::end() {
  for (Window& window : windows_) window.locks.end();
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
      return arrive(window, caller);
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

/// A call that returned before the last rank came did not wait: some fences synchronise nothing.
void WindowWaits::arrive(Window& window, const Caller& caller) {
  const std::uint64_t number = window.entered[caller.rank_index]++;
  if (number < window.first || number - window.first >= kMostOpen) return;
  const auto at = static_cast<std::size_t>(number - window.first);
  if (window.collectives.size() <= at) window.collectives.resize(at + 1);
  window.collectives[at].push_back(caller);
  while (!window.collectives.empty() && window.collectives.front().size() >= window.members) {
    const std::vector<Caller>& calls = window.collectives.front();
    const Caller& latest = *std::ranges::max_element(calls, {}, &Caller::enter_ns);
    for (const Caller& here : calls)
      if (here.enter_ns < latest.enter_ns && latest.enter_ns < here.leave_ns)
        awaited_->push_back({here.call, latest.call, WaitKind::fence});
    window.collectives.pop_front();
    ++window.first;
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
