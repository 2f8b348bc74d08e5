// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "merger/load/thread_cursor.hpp"
#include "merger/match/locks/lock_uses.hpp"
#include "merger/model/event_ref.hpp"
#include "trace/format/rank/rank_file.hpp"

namespace meridian {

/// Finds the calls of other threads of one rank for which its calls on locks, conditions, semaphores, thread barriers and
/// ends of threads waited.
///
/// A lock is waited for while its holder has it, then while the next one has it, and so on. The holder at the beginning
/// is the thread that the C library names; where that is unknown, the last one to take it, if all calls on locks were
/// recorded. Its call is the recorded one with which it took the lock, otherwise the last call that it made before the
/// end of the wait.
/// An OpenMP thread without a share waits at the end of its last share, like at any thread barrier, and then until its next team is
/// made. A thread that leaves a barrier to run a task comes again.
/// Memory is bounded by the threads and by the objects in use.
class AwaitedThreads {
 public:
  /// awaited  receives the rows; its owner empties it
  AwaitedThreads(const RankMeta& meta, std::vector<AwaitedCall>& awaited);

  /// Every call of the rank, in order of enter.
  void add(const Call& call);
  /// After the last call.
  void end();

 private:
  static constexpr std::uint32_t kNobody = 0xffffffff;

  /// A call that took a lock.
  struct Holding {
    EventRef call{};
    std::uint64_t taken_ticks = 0;
    std::uint64_t site = 0;
    bool is_held = false;  // it has not been released, as far as releases are recorded
  };
  struct Wake {
    EventRef call{};
    std::uint64_t enter_ticks = 0;
    bool wakes_all = false;
  };
  struct Object {
    Holding last{};
    std::vector<Wake> wakes{};  // while a thread waits
    std::vector<EventRef> arrivals{};
    EventRef latest{};
    EventRef fork{};  // of a team: where it was made, if has_fork
    bool has_fork = false;
    std::uint64_t latest_ticks = 0, first_leave_ticks = 0;  // of the arrivals
  };
  /// A call in progress that waits.
  struct Wait {
    EventRef call{};
    WaitKind kind{};
    std::uint64_t enter_ticks = 0, leave_ticks = 0, site = 0;
    LockObject object{};                 // that it waits for
    LockObject takes{};                  // the lock that it has at its end; kind none: none
    std::uint32_t for_thread = kNobody;  // holder at the beginning, or thread that is joined
    bool has_first = false;
    Holding first{};
    std::vector<Holding> next{};
  };

  void add_lock(const Call& call);
  void add_join(const Call& call);
  void begin(Wait wait);
  void took(const LockObject& object, const Holding& holding);
  void arrive(Object& object, const Call& call, const EventRef& ref);
  void begin_share(const Call& call);
  void release(const LockObject& object, std::uint32_t thread);
  void settle(std::uint64_t now_ticks);
  void finish(const Wait& wait);
  void finish_lock(const Wait& wait);
  void finish_wake(const Wait& wait);
  void close(Object& object);
  void add_holder(Wait& wait, const Holding& holding);
  bool has_waiter(const LockObject& object) const;
  Object* find(const LockObject& object);
  std::uint32_t thread_of(std::int32_t kernel_tid) const;
  void emit(const EventRef& call, const EventRef& causer, WaitKind kind) { awaited_.push_back({call, causer, kind}); }

  std::int32_t rank_;
  std::unordered_map<std::int32_t, std::uint32_t> threads_;  // by kernel tid
  std::vector<AwaitedCall>& awaited_;
  std::unordered_map<LockObject, Object, LockObjectHash> objects_;
  std::vector<Wait> waits_;  // in progress
  std::uint64_t next_end_ticks_ = UINT64_MAX;
  std::unordered_map<std::uint32_t, EventRef> last_;  // thread -> its last call so far
  std::unordered_map<std::uint32_t, EventRef> idle_;  // OpenMP thread that has no share -> its call
  bool sees_releases_ = false;
};

}  // namespace meridian
