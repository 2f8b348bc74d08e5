// SPDX-License-Identifier: Apache-2.0
#include "merger/match/locks/awaited_threads.hpp"

#include <algorithm>
#include <utility>

namespace meridian {
namespace {

constexpr std::size_t kMostLocks = 1 << 16;  // further objects have no causers
constexpr std::size_t kMostHolders = 64;     // of one wait; the last one stands for those after it
constexpr std::size_t kMostWakes = 1 << 10;  // of one object that nobody has answered yet

}  // namespace

AwaitedThreads::AwaitedThreads(const RankMeta& meta, std::vector<AwaitedCall>& awaited)
    : rank_{meta.rank}, awaited_{awaited} {
  for (const ThreadRow& thread : meta.threads)
    if (thread.kernel_tid != 0) threads_[thread.kernel_tid] = thread.thread;
}

std::uint32_t AwaitedThreads::thread_of(std::int32_t kernel_tid) const {
  const auto found = threads_.find(kernel_tid);
  return found == threads_.end() ? kNobody : found->second;
}

AwaitedThreads::Object* AwaitedThreads::find(const LockObject& object) {
  if (const auto found = objects_.find(object); found != objects_.end()) return &found->second;
  return objects_.size() < kMostLocks ? &objects_[object] : nullptr;
}

bool AwaitedThreads::has_waiter(const LockObject& object) const {
  return std::ranges::find(waits_, object, &Wait::object) != waits_.end();
}

void AwaitedThreads::add(const Call& call) {
  if (call.enter_ticks >= next_end_ticks_) settle(call.enter_ticks);
  if (!call.has(kFlagUnfinished)) {
    if (call.payload == Payload::lock && call.call != CallId::none) add_lock(call);
    if (call.payload == Payload::thread_op) add_join(call);
  }
  if (call.call == CallId::omp_implicit_barrier)
    idle_[call.thread] = {rank_, call.thread, call.event};
  else
    idle_.erase(call.thread);
  last_[call.thread] = {rank_, call.thread, call.event};
}

void AwaitedThreads::end() {
  settle(UINT64_MAX);
  for (auto& [key, object] : objects_) close(object);
}

void AwaitedThreads::add_join(const Call& call) {
  if (!waits_for_thread(call.call) || call.thread_op->thread == kNoThread || call.has(kFlagFailed)) return;
  begin({.call = {rank_, call.thread, call.event},
         .kind = WaitKind::join,
         .enter_ticks = call.enter_ticks,
         .leave_ticks = call.leave_ticks,
         .for_thread = call.thread_op->thread});
}

void AwaitedThreads::add_lock(const Call& call) {
  const LockUse& use = *call.lock;
  if (use.kind == 0 || use.kind >= static_cast<std::uint8_t>(LockKind::count_)) return;
  const auto kind = static_cast<LockKind>(use.kind);
  const LockObject object{object_kind(kind), use.object};
  const EventRef ref{rank_, call.thread, call.event};
  const bool has_worked = !call.has(kFlagFailed);
  if (call.call == CallId::omp_parallel || call.call == CallId::omp_share) return begin_share(call);
  const LockUseKind what = lock_facts(call.call).use;
  if (what == LockUseKind::birth || what == LockUseKind::death) {
    if (const auto found = objects_.find(object); found != objects_.end()) {
      close(found->second);
      objects_.erase(found);
    }
    return;
  }
  if (what == LockUseKind::release) {
    sees_releases_ = true;
    return release(object, call.thread);
  }
  if (what == LockUseKind::wake_one || what == LockUseKind::wake_all) {
    Object* const woken = has_waiter(object) ? find(object) : nullptr;
    if (woken == nullptr || !has_worked) return;
    if (woken->wakes.size() >= kMostWakes) woken->wakes.erase(woken->wakes.begin());
    woken->wakes.push_back({ref, call.enter_ticks, what == LockUseKind::wake_all});
    return;
  }
  Wait wait{.call = ref,
            .enter_ticks = call.enter_ticks,
            .leave_ticks = call.leave_ticks,
            .site = call.site,
            .object = object};
  if (kind == LockKind::barrier || kind == LockKind::team) {
    if (Object* const at = what == LockUseKind::take && has_worked ? find(object) : nullptr; at != nullptr)
      arrive(*at, call, ref);
    return;
  }
  if (kind == LockKind::condition) {  // gives the mutex back and takes it again
    const LockObject mutex{LockKind::mutex, use.mutex};
    release(mutex, call.thread);
    wait.kind = WaitKind::condition;
    wait.takes = mutex;
    if (!has_worked) wait.object = {};  // nobody has woken it
    return begin(std::move(wait));
  }
  if (kind == LockKind::semaphore) {
    wait.kind = WaitKind::semaphore;
    if (what == LockUseKind::take && has_worked && use.is_contended != 0) begin(std::move(wait));
    return;
  }
  if (what != LockUseKind::take && kind != LockKind::once) return;
  if (use.is_contended == 0) {
    if (has_worked) took(object, {ref, call.leave_ticks, call.site, true});
    return;
  }
  wait.kind = WaitKind::lock;
  if (has_worked && kind != LockKind::once) wait.takes = object;
  const Object* const lock = find(object);
  const std::uint32_t holder = use.holder_tid > 0 ? thread_of(use.holder_tid) : kNobody;
  const bool has_last = lock != nullptr && lock->last.taken_ticks != 0 && lock->last.call.thread != call.thread;
  if (holder != kNobody && holder != call.thread) wait.for_thread = holder;
  const bool is_surely_held = has_last && lock->last.is_held && (sees_releases_ || kind == LockKind::once);
  if (has_last && (wait.for_thread == lock->last.call.thread || (wait.for_thread == kNobody && is_surely_held))) {
    wait.has_first = true;
    wait.first = lock->last;
  }
  begin(std::move(wait));
}

void AwaitedThreads::begin(Wait wait) {
  const Holding taken{wait.call, wait.leave_ticks, wait.site, true};
  for (Wait& other : waits_) {
    if (wait.kind == WaitKind::lock && other.takes == wait.object) {
      const Holding others{other.call, other.leave_ticks, other.site, true};
      if (other.leave_ticks > wait.enter_ticks && other.leave_ticks < wait.leave_ticks) add_holder(wait, others);
    }
    const bool takes_its =
        other.kind == WaitKind::lock && wait.takes.kind != LockKind::none && wait.takes == other.object;
    if (takes_its && wait.leave_ticks < other.leave_ticks) add_holder(other, taken);
  }
  next_end_ticks_ = std::min(next_end_ticks_, wait.leave_ticks);
  waits_.push_back(std::move(wait));
}

/// A lock was taken at once.
void AwaitedThreads::took(const LockObject& object, const Holding& holding) {
  Object* const lock = find(object);
  if (lock == nullptr) return;
  if (holding.taken_ticks >= lock->last.taken_ticks) lock->last = holding;
  for (Wait& wait : waits_)
    if (wait.kind == WaitKind::lock && wait.object == object && holding.taken_ticks > wait.enter_ticks &&
        holding.taken_ticks < wait.leave_ticks)
      add_holder(wait, holding);
}

void AwaitedThreads::release(const LockObject& object, std::uint32_t thread) {
  const auto found = objects_.find(object);
  if (found != objects_.end() && found->second.last.call.thread == thread) found->second.last.is_held = false;
}

/// Of many holders the first ones are kept.
void AwaitedThreads::add_holder(Wait& wait, const Holding& holding) {
  if (holding.call.thread == wait.call.thread) return;
  wait.next.push_back(holding);
  if (wait.next.size() < 2 * kMostHolders) return;
  std::ranges::stable_sort(wait.next, {}, &Holding::taken_ticks);
  const auto is_same = [](const Holding& a, const Holding& b) {
    return a.call.thread == b.call.thread && a.site == b.site;
  };
  wait.next.erase(std::unique(wait.next.begin(), wait.next.end(), is_same), wait.next.end());
  wait.next.resize(std::min(wait.next.size(), kMostHolders));
}

/// All enters of one use of a barrier come before the first of its leaves.
void AwaitedThreads::arrive(Object& object, const Call& call, const EventRef& ref) {
  if (!object.arrivals.empty() && call.enter_ticks >= object.first_leave_ticks) close(object);
  if (object.arrivals.empty()) object.first_leave_ticks = UINT64_MAX;
  object.arrivals.push_back(ref);
  const bool runs_task = call.lock->kind == static_cast<std::uint8_t>(LockKind::team) && call.lock->is_contended == 0;
  if (!runs_task) object.first_leave_ticks = std::min(object.first_leave_ticks, call.leave_ticks);
  object.latest = ref;  // calls come in order of enter
}

/// A thread of a team begins to compute; until then it waited for the thread that made the team.
void AwaitedThreads::begin_share(const Call& call) {
  Object* const team = find({LockKind::team, call.lock->object});
  if (team == nullptr) return;
  const EventRef ref{rank_, call.thread, call.event};
  if (call.call == CallId::omp_parallel) {
    team->fork = ref;
    team->has_fork = true;
  }
  const auto idle = idle_.find(call.thread);
  if (idle != idle_.end() && call.call == CallId::omp_share && team->has_fork)
    emit(idle->second, team->fork, WaitKind::team);
}

void AwaitedThreads::close(Object& object) {
  for (const EventRef& call : object.arrivals)
    if (call.thread != object.latest.thread) emit(call, object.latest, WaitKind::thread_barrier);
  object.arrivals.clear();
}

/// Waits that have ended, in order of their ends.
void AwaitedThreads::settle(std::uint64_t now_ticks) {
  while (!waits_.empty()) {
    const auto next = std::ranges::min_element(waits_, {}, &Wait::leave_ticks);
    next_end_ticks_ = next->leave_ticks;
    if (next->leave_ticks > now_ticks) return;
    const Wait wait = std::move(*next);
    waits_.erase(next);
    finish(wait);
  }
  next_end_ticks_ = UINT64_MAX;
}

void AwaitedThreads::finish(const Wait& wait) {
  if (wait.takes.kind != LockKind::none) {
    Object* const lock = find(wait.takes);
    if (lock != nullptr && wait.leave_ticks >= lock->last.taken_ticks)
      lock->last = {wait.call, wait.leave_ticks, wait.site, true};
  }
  if (wait.kind == WaitKind::lock) return finish_lock(wait);
  if (wait.kind != WaitKind::join) return finish_wake(wait);
  const auto last = last_.find(wait.for_thread);
  emit(wait.call, last == last_.end() ? wait.call : last->second, WaitKind::join);
}

void AwaitedThreads::finish_lock(const Wait& wait) {
  EventRef first = wait.call;  // unknown
  if (wait.has_first) {
    first = wait.first.call;
  } else if (wait.for_thread != kNobody) {
    if (const auto last = last_.find(wait.for_thread); last != last_.end()) first = last->second;
  }
  emit(wait.call, first, WaitKind::lock);
  std::vector<Holding> next = wait.next;
  std::ranges::stable_sort(next, {}, &Holding::taken_ticks);
  std::uint32_t thread = first == wait.call ? kNobody : first.thread;
  std::uint64_t site = wait.has_first ? wait.first.site : 0;
  std::size_t count = 0;
  for (const Holding& holding : next) {
    const bool is_same = holding.call.thread == thread && holding.site == site;
    thread = holding.call.thread;
    site = holding.site;
    if (!is_same && ++count < kMostHolders) emit(wait.call, holding.call, WaitKind::lock);
  }
}

/// The earliest wake since the beginning that has woken nobody else.
void AwaitedThreads::finish_wake(const Wait& wait) {
  const auto found = objects_.find(wait.object);
  if (found == objects_.end()) return;
  std::vector<Wake>& wakes = found->second.wakes;
  const auto wake = std::ranges::find_if(wakes, [&](const Wake& each) {
    return each.enter_ticks >= wait.enter_ticks && each.enter_ticks < wait.leave_ticks &&
           each.call.thread != wait.call.thread;
  });
  if (wake != wakes.end()) {
    emit(wait.call, wake->call, wait.kind);
    if (!wake->wakes_all) wakes.erase(wake);
  }
  if (!has_waiter(wait.object)) wakes.clear();
}

}  // namespace meridian
