// hot
// SPDX-License-Identifier: Apache-2.0

// Mutexes: pthread_mutex_* and C11's mtx_*.

#include <linux/futex.h>

#include "pmpi/threads/lock_call.hpp"

namespace meridian {

namespace {

/// Converts C11's results to POSIX's; thrd_success is 0.
constexpr int to_posix(int result) noexcept {
  return result == thrd_busy ? EBUSY : result == thrd_success ? 0 : -result;
}
constexpr int to_c11(int result) noexcept { return result == EBUSY ? thrd_busy : result == 0 ? thrd_success : -result; }

[[gnu::always_inline]] inline auto attempt_of(pthread_mutex_t* mutex) noexcept {
  return [mutex] { return g_libc.pthread_mutex_trylock(mutex); };
}
[[gnu::always_inline]] inline auto attempt_of(mtx_t* mutex) noexcept {
  return [mutex] { return to_posix(g_libc.mtx_trylock(mutex)); };
}

/// In glibc (up to 2.36 at least), a failed try of an unrecoverable robust mutex leaves it locked. The state of such a
/// mutex is examined instead, and `wait` itself takes it if it seems free.
enum class Waits { forever, for_a_while };
template <Waits waits, class Wait>
[[gnu::always_inline]] inline auto attempt_or(pthread_mutex_t* mutex, Wait wait) noexcept {
  return [mutex, wait] {
#ifdef __GLIBC__
    constexpr int kRobust = 16;
    if ((__atomic_load_n(&mutex->__data.__kind, __ATOMIC_RELAXED) & kRobust) != 0) [[unlikely]]
      return (__atomic_load_n(&mutex->__data.__lock, __ATOMIC_RELAXED) & FUTEX_TID_MASK) != 0 ? EBUSY : wait();
#endif
    if constexpr (waits == Waits::for_a_while) {
      if (!g_is_libc_below) [[unlikely]]
        return is_taken(mutex) ? EBUSY : wait();
      return g_libc.pthread_mutex_trylock(mutex);
    }
    return g_libc.attempt_mutex(mutex);
  };
}

}  // namespace

MERIDIAN_EXPORT int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  const auto wait = [=] { return g_libc.pthread_mutex_lock(mutex); };
  return acquire<CallId::pthread_mutex_lock, LockKind::mutex>(mutex, attempt_or<Waits::forever>(mutex, wait), wait);
}

MERIDIAN_EXPORT int pthread_mutex_trylock(pthread_mutex_t* mutex) noexcept {
  return try_acquire<CallId::pthread_mutex_trylock, LockKind::mutex>(mutex, attempt_of(mutex));
}

MERIDIAN_EXPORT int pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* until) noexcept {
  const auto wait = [=] { return g_libc.pthread_mutex_timedlock(mutex, until); };
  return acquire<CallId::pthread_mutex_timedlock, LockKind::mutex>(mutex, attempt_or<Waits::for_a_while>(mutex, wait),
                                                                   wait);
}

MERIDIAN_EXPORT int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock, const timespec* until) noexcept {
  const auto wait = [=] { return g_libc.pthread_mutex_clocklock(mutex, clock, until); };
  if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC) return wait();
  return acquire<CallId::pthread_mutex_clocklock, LockKind::mutex>(mutex, attempt_or<Waits::for_a_while>(mutex, wait),
                                                                   wait);
}

MERIDIAN_EXPORT int pthread_mutex_unlock(pthread_mutex_t* mutex) noexcept {
  return about_lock<CallId::pthread_mutex_unlock, LockKind::mutex>(mutex,
                                                                   [=] { return g_libc.pthread_mutex_unlock(mutex); });
}

MERIDIAN_EXPORT int pthread_mutex_init(pthread_mutex_t* mutex, const pthread_mutexattr_t* attr) noexcept {
  return about_lock<CallId::pthread_mutex_init, LockKind::mutex>(
      mutex, [=] { return g_libc.pthread_mutex_init(mutex, attr); });
}

MERIDIAN_EXPORT int pthread_mutex_destroy(pthread_mutex_t* mutex) noexcept {
  return about_lock<CallId::pthread_mutex_destroy, LockKind::mutex>(
      mutex, [=] { return g_libc.pthread_mutex_destroy(mutex); });
}

MERIDIAN_EXPORT int mtx_init(mtx_t* mutex, int type) {
  return about_lock<CallId::mtx_init, LockKind::mutex>(mutex, [=] { return g_libc.mtx_init(mutex, type); });
}

MERIDIAN_EXPORT void mtx_destroy(mtx_t* mutex) {
  about_lock<CallId::mtx_destroy, LockKind::mutex>(mutex, [=] {
    g_libc.mtx_destroy(mutex);
    return 0;
  });
}

MERIDIAN_EXPORT int mtx_lock(mtx_t* mutex) {
  return to_c11(acquire<CallId::mtx_lock, LockKind::mutex>(mutex, attempt_of(mutex),
                                                           [=] { return to_posix(g_libc.mtx_lock(mutex)); }));
}

MERIDIAN_EXPORT int mtx_trylock(mtx_t* mutex) {
  return to_c11(try_acquire<CallId::mtx_trylock, LockKind::mutex>(mutex, attempt_of(mutex)));
}

MERIDIAN_EXPORT int mtx_timedlock(mtx_t* mutex, const timespec* until) {
  return to_c11(acquire<CallId::mtx_timedlock, LockKind::mutex>(
      mutex, attempt_of(mutex), [=] { return to_posix(g_libc.mtx_timedlock(mutex, until)); }));
}

MERIDIAN_EXPORT int mtx_unlock(mtx_t* mutex) {
  return about_lock<CallId::mtx_unlock, LockKind::mutex>(mutex, [=] { return g_libc.mtx_unlock(mutex); });
}

}  // namespace meridian
