// hot
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Taking a lock: a try first. If it succeeds at once, it is counted; otherwise the wait is recorded.

#include "pmpi/libraries/libc_calls.hpp"
#include "pmpi/libraries/library_objects.hpp"
#include "pmpi/threads/recorded.hpp"

#define MERIDIAN_EXPORT extern "C" [[gnu::visibility("default")]]

namespace meridian {

/// Kernel tid of the mutex's holder, as the C library stores it; 0: none, or unknown.
[[gnu::always_inline]] inline std::int32_t holder_of(const pthread_mutex_t* mutex) noexcept {
#ifdef __GLIBC__
  return __atomic_load_n(&mutex->__data.__owner, __ATOMIC_RELAXED);
#else
  return 0;
#endif
}
[[gnu::always_inline]] inline std::int32_t holder_of(const pthread_rwlock_t* lock) noexcept {
#ifdef __GLIBC__
  return __atomic_load_n(&lock->__data.__cur_writer, __ATOMIC_RELAXED);
#else
  return 0;
#endif
}
template <class Object>
[[gnu::always_inline]] inline std::int32_t holder_of(const Object*) noexcept {
  return 0;
}
// In glibc, C11's mutex is the same object as POSIX's.
[[gnu::always_inline]] inline std::int32_t holder_of(const mtx_t* mutex) noexcept {
  return holder_of(reinterpret_cast<const pthread_mutex_t*>(mutex));
}

/// Results with which the caller has the lock.
constexpr bool is_success(int result) noexcept {
  return result == 0 || result == EOWNERDEAD || result == PTHREAD_BARRIER_SERIAL_THREAD;
}

/// Fills in the body of a LockUse record.
struct LockBody {
  const volatile void* object;
  const volatile void* mutex;
  LockKind kind;
  bool is_contended;
  std::int32_t holder_tid;
  const void* caller;  ///< not stored

  void operator()(std::uint64_t* body) const noexcept {
    body[0] = reinterpret_cast<std::uintptr_t>(object);
    body[1] = reinterpret_cast<std::uintptr_t>(mutex);
    body[2] = static_cast<std::uint32_t>(holder_tid);
    body[3] = static_cast<std::uint64_t>(kind) | std::uint64_t{is_contended} << 8;
  }
};
inline constexpr std::uint64_t kLockWords = words_of<LockUse>;

/// The outcome of an int-returning lock call, stored in its record.
struct LockResult {
  bool operator()(std::uint64_t* body, int result) const noexcept {
    body[2] |= static_cast<std::uint64_t>(static_cast<std::uint32_t>(result)) << 32;
    return is_success(result);
  }
};

/// Records a call on a lock, whatever its result.
template <CallId id, class Call>
[[gnu::noinline]] int recorded_lock(LockBody what, Call call) noexcept(false) {
  if (is_library_use(what.object, what.caller)) return call();
  return recorded<id, Payload::lock, kLockWords>(what, call, LockResult{}, what.caller);
}

/// Records the wait for a lock that was not free.
template <CallId id, LockKind kind, class Object, class Wait>
[[gnu::cold, gnu::noinline]] int wait_for_lock(Object* object, const void* caller, Wait wait) noexcept(false) {
  if (is_library_use(object, caller)) return wait();
  return recorded<id, Payload::lock, kLockWords>(LockBody{object, nullptr, kind, true, holder_of(object), caller}, wait,
                                                 LockResult{}, caller);
}

/// Records every acquisition.
template <CallId id, LockKind kind, class Object, class Attempt, class Wait>
[[gnu::cold, gnu::noinline]] int recorded_acquire(Object* object, const void* caller, Attempt attempt,
                                                  Wait wait) noexcept(false) {
  if (is_library_use(object, caller)) return wait();
  bool is_contended = false;
  std::int32_t holder_tid = 0;
  return recorded<id, Payload::lock, kLockWords>(
      LockBody{object, nullptr, kind, false, 0, caller},
      [&] {
        const int result = attempt();
        if (result != EBUSY) return result;
        is_contended = true;
        holder_tid = holder_of(object);
        return wait();
      },
      [&](std::uint64_t* body, int result) {
        LockBody{object, nullptr, kind, is_contended, holder_tid, caller}(body);
        return LockResult{}(body, result);
      },
      caller);
}

/// `attempt` returns EBUSY if `wait` would have to wait, and otherwise the result of `wait`.
template <CallId id, LockKind kind, class Object, class Attempt, class Wait>
[[gnu::always_inline]] inline int acquire(Object* object, Attempt attempt, Wait wait) noexcept(false) {
  const std::uint8_t level = g_enabled[static_cast<std::size_t>(id)];
  if (level != kRecorded) [[unlikely]] {
    if (level == kLeftOut) leave_out(id, caller());
    if (level != kRecordedAll || !is_application()) return wait();
    return recorded_acquire<id, kind>(object, caller(), attempt, wait);
  }
  if (!is_application()) [[unlikely]]
    return wait();
  const int result = attempt();
  if (result == 0) [[likely]] {
    count_use(object, kind);
    return 0;
  }
  if (result == EBUSY) return wait_for_lock<id, kind>(object, caller(), wait);
  if (is_success(result)) count_use(object, kind);
  return result;
}

/// A try, which never waits: counted by outcome.
template <CallId id, LockKind kind, class Object, class Attempt>
[[gnu::always_inline]] inline int try_acquire(Object* object, Attempt attempt) noexcept(false) {
  const std::uint8_t level = g_enabled[static_cast<std::size_t>(id)];
  if (level != kRecorded) [[unlikely]] {
    if (level == kLeftOut) leave_out(id, caller());
    if (level != kRecordedAll || !is_application()) return attempt();
    return recorded_lock<id>({object, nullptr, kind, false, holder_of(object), caller()}, attempt);
  }
  if (!is_application()) [[unlikely]]
    return attempt();
  const int result = attempt();
  if (is_success(result))
    count_use(object, kind);
  else if (result == EBUSY)
    count_use(object, LockKind::busy);
  return result;
}

/// about_lock() for a call that is recorded, or filtered.
template <CallId id, LockKind kind, class Object, class Call>
[[gnu::noinline]] int recorded_about_lock(Object* object, const void* caller, Call call) noexcept(false) {
  if (is_off(id, caller)) return call();
  if (is_surely_inside_call()) return call();  // MPI libraries make and destroy locks in calls as short as MPI_Iprobe
  return recorded_lock<id>({object, nullptr, kind, false, 0, caller}, call);
}

/// Init, destroy, release: recorded if switched on.
template <CallId id, LockKind kind, class Object, class Call>
[[gnu::always_inline]] inline int about_lock(Object* object, Call call) noexcept(false) {
  if (g_enabled[static_cast<std::size_t>(id)] == kNotRecorded) [[likely]]
    return call();
  return recorded_about_lock<id, kind>(object, caller(), call);
}

/// Whether timespec or clock are invalid: a timed call checks them before the lock.
constexpr bool is_refused(const timespec* until, clockid_t clock = CLOCK_REALTIME) noexcept {
  return until->tv_nsec < 0 || until->tv_nsec >= 1'000'000'000 || (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC);
}

}  // namespace meridian
