// hot
// SPDX-License-Identifier: Apache-2.0

// Barriers, spin locks, once.

#include "pmpi/threads/lock_call.hpp"

namespace meridian {

namespace {

[[gnu::always_inline]] inline auto attempt_of(pthread_spinlock_t* lock) noexcept {
  return [lock] { return g_libc.pthread_spin_trylock(lock); };
}

enum class OnceState { to_be_run, running, done };

/// The C library's state: bit 1 done, bit 0 in progress.
[[gnu::always_inline]] inline OnceState state_of(const void* once) noexcept {
  const int word = __atomic_load_n(static_cast<const int*>(once), __ATOMIC_RELAXED);
  return (word & 2) != 0 ? OnceState::done : (word & 1) != 0 ? OnceState::running : OnceState::to_be_run;
}

/// The thread that runs the routine records only that it does, because the calls of the routine are the application's.
/// A thread that waits for another one to run it records the wait.
template <CallId id, class Once, class Call>
[[gnu::cold, gnu::noinline]] int recorded_once(Once* once, const void* caller, Call call) noexcept(false) {
  const LockBody what{once, nullptr, LockKind::once, false, 0, caller};
  if (!g_is_libc_below) return call();
  if (state_of(once) == OnceState::running)
    return recorded_lock<id>({once, nullptr, LockKind::once, true, 0, caller}, call);
  if (!is_library_use(once, caller)) record_now<id, Payload::lock, kLockWords>(what);
  return call();
}

template <CallId id, class Once, class Call>
[[gnu::always_inline]] inline int run_once(Once* once, Call call) noexcept(false) {
#ifdef __GLIBC__
  if (state_of(once) == OnceState::done || is_off(id, caller())) return call();
  return recorded_once<id>(once, caller(), call);
#else
  return call();
#endif
}

}  // namespace

MERIDIAN_EXPORT int pthread_barrier_wait(pthread_barrier_t* barrier) noexcept {
  return about_lock<CallId::pthread_barrier_wait, LockKind::barrier>(
      barrier, [=] { return g_libc.pthread_barrier_wait(barrier); });
}

MERIDIAN_EXPORT int pthread_barrier_init(pthread_barrier_t* barrier, const pthread_barrierattr_t* attr,
                                         unsigned count) noexcept {
  return about_lock<CallId::pthread_barrier_init, LockKind::barrier>(
      barrier, [=] { return g_libc.pthread_barrier_init(barrier, attr, count); });
}

MERIDIAN_EXPORT int pthread_barrier_destroy(pthread_barrier_t* barrier) noexcept {
  return about_lock<CallId::pthread_barrier_destroy, LockKind::barrier>(
      barrier, [=] { return g_libc.pthread_barrier_destroy(barrier); });
}

MERIDIAN_EXPORT int pthread_spin_lock(pthread_spinlock_t* lock) noexcept {
  return acquire<CallId::pthread_spin_lock, LockKind::spin>(lock, attempt_of(lock),
                                                            [=] { return g_libc.pthread_spin_lock(lock); });
}

MERIDIAN_EXPORT int pthread_spin_trylock(pthread_spinlock_t* lock) noexcept {
  return try_acquire<CallId::pthread_spin_trylock, LockKind::spin>(lock, attempt_of(lock));
}

MERIDIAN_EXPORT int pthread_spin_unlock(pthread_spinlock_t* lock) noexcept {
  return about_lock<CallId::pthread_spin_unlock, LockKind::spin>(lock,
                                                                 [=] { return g_libc.pthread_spin_unlock(lock); });
}

MERIDIAN_EXPORT int pthread_spin_init(pthread_spinlock_t* lock, int shared) noexcept {
  return about_lock<CallId::pthread_spin_init, LockKind::spin>(lock,
                                                               [=] { return g_libc.pthread_spin_init(lock, shared); });
}

MERIDIAN_EXPORT int pthread_spin_destroy(pthread_spinlock_t* lock) noexcept {
  return about_lock<CallId::pthread_spin_destroy, LockKind::spin>(lock,
                                                                  [=] { return g_libc.pthread_spin_destroy(lock); });
}

MERIDIAN_EXPORT int pthread_once(pthread_once_t* once, void (*routine)()) {
  return run_once<CallId::pthread_once>(once, [=] { return g_libc.pthread_once(once, routine); });
}

MERIDIAN_EXPORT void call_once(once_flag* once, void (*routine)()) {
  run_once<CallId::call_once>(once, [=] {
    g_libc.call_once(once, routine);
    return 0;
  });
}

}  // namespace meridian
