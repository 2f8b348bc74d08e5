// SPDX-License-Identifier: Apache-2.0
#include "live/lock_holders.hpp"

#include <algorithm>
#include <iterator>

#include "trace/model/lock_calls.hpp"

namespace meridian {
namespace {

/// The key of all objects of a kind beyond those that a thread counts individually.
std::uint64_t beyond(LockKind kind) { return static_cast<std::uint64_t>(kind); }

}  // namespace

void LockHolders::note(std::uint64_t object, const Seen& seen) {
  Seen& last = last_[object];
  if (seen.ticks >= last.ticks) last = seen;
}

void LockHolders::take(std::uint32_t thread, CallId call, const LockUse& use, std::uint64_t enter_ticks,
                       std::uint64_t leave_ticks) {
  const auto kind = static_cast<LockKind>(use.kind);
  if (kind == LockKind::condition && use.mutex != 0) {  // a wait releases its mutex
    note(use.mutex, {enter_ticks, Holder::nobody, 0});
    if (leave_ticks == 0) return;
    note(use.mutex, {leave_ticks, Holder::thread, thread});
    users_[use.mutex].insert(thread);
    return;
  }
  if (!is_held(kind)) return;
  const LockUseKind what = lock_facts(call).use;
  if (what == LockUseKind::release || what == LockUseKind::birth ||
      what == LockUseKind::death) {  // nobody holds it then
    note(use.object, {leave_ticks == 0 ? enter_ticks : leave_ticks, Holder::nobody, 0});
    return;
  }
  if (use.is_contended != 0 || leave_ticks == 0)
    note(use.object, {enter_ticks, use.holder_tid != 0 ? Holder::tid : Holder::unknown, use.holder_tid});
  if (leave_ticks == 0 || use.result != 0) return;
  note(use.object, {leave_ticks, Holder::thread, thread});
  users_[use.object].insert(thread);
}

void LockHolders::resolve(std::vector<ThreadNow>& threads, std::span<const LockCountRow> counts,
                          const Look& look) const {
  Users users = users_;
  for (const LockCountRow& count : counts)
    if (is_held(count.kind)) users[count.object != 0 ? count.object : beyond(count.kind)].insert(count.thread);
  for (ThreadNow& thread : threads)
    for (WaitedFor& what : thread.waits)
      if (what.kind == WaitedFor::Kind::lock) what.threads = holders(threads, thread, what, users, look);
}

std::vector<std::uint32_t> LockHolders::holders(const std::vector<ThreadNow>& threads, const ThreadNow& waiter,
                                                const WaitedFor& lock, const Users& users, const Look& look) const {
  // A tid may have been reused after its thread ended.
  const auto by_tid = [&](std::int64_t tid) -> std::vector<std::uint32_t> {
    const ThreadNow* found = nullptr;
    for (const ThreadNow& thread : threads)
      if (thread.kernel_tid == tid && (found == nullptr || !found->is_alive)) found = &thread;
    return found != nullptr ? std::vector{found->thread} : std::vector<std::uint32_t>{};
  };
  const auto now = look(lock);
  if (now) return *now == 0 ? std::vector<std::uint32_t>{} : by_tid(*now);
  const auto known = last_.find(lock.object);
  const Seen seen = known == last_.end() ? Seen{} : known->second;
  std::vector<std::uint32_t> result;
  if (seen.holder == Holder::thread) result.push_back(static_cast<std::uint32_t>(seen.number));
  if (seen.holder == Holder::tid) {
    result = by_tid(seen.number);
    if (result.empty()) return {};  // an unknown thread, or one of another process
  }
  // The lock may have passed to any of its users that has been active since.
  std::set<std::uint32_t> possible;
  const bool is_rwlock = lock.lock == LockKind::read || lock.lock == LockKind::write;
  const LockKind other = lock.lock == LockKind::read ? LockKind::write : is_rwlock ? LockKind::read : lock.lock;
  for (const std::uint64_t object : {lock.object, beyond(lock.lock), beyond(other)})
    if (const auto found = users.find(object); found != users.end())
      possible.insert(found->second.begin(), found->second.end());
  for (const ThreadNow& thread : threads) {
    const bool was_active =
        seen.holder == Holder::unknown || thread.call == CallId::none || thread.since_ticks > seen.ticks;
    if (thread.is_alive && was_active && thread.thread != waiter.thread && possible.contains(thread.thread) &&
        std::ranges::find(result, thread.thread) == result.end())
      result.push_back(thread.thread);
  }
  return result;
}

}  // namespace meridian
