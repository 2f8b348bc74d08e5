// hot
// SPDX-License-Identifier: Apache-2.0

// Read-write locks. A timed call checks its time before the lock, so calls with an invalid time skip the try.

#include "pmpi/threads/lock_call.hpp"

namespace meridian {

namespace {

[[gnu::always_inline]] inline auto attempt_read(pthread_rwlock_t* lock) noexcept {
  return [lock] { return g_libc.pthread_rwlock_tryrdlock(lock); };
}
[[gnu::always_inline]] inline auto attempt_write(pthread_rwlock_t* lock) noexcept {
  return [lock] { return g_libc.pthread_rwlock_trywrlock(lock); };
}

}  // namespace

MERIDIAN_EXPORT int pthread_rwlock_rdlock(pthread_rwlock_t* lock) noexcept {
  return acquire<CallId::pthread_rwlock_rdlock, LockKind::read>(lock, attempt_read(lock),
                                                                [=] { return g_libc.pthread_rwlock_rdlock(lock); });
}

MERIDIAN_EXPORT int pthread_rwlock_wrlock(pthread_rwlock_t* lock) noexcept {
  return acquire<CallId::pthread_rwlock_wrlock, LockKind::write>(lock, attempt_write(lock),
                                                                 [=] { return g_libc.pthread_rwlock_wrlock(lock); });
}

MERIDIAN_EXPORT int pthread_rwlock_tryrdlock(pthread_rwlock_t* lock) noexcept {
  return try_acquire<CallId::pthread_rwlock_tryrdlock, LockKind::read>(lock, attempt_read(lock));
}

MERIDIAN_EXPORT int pthread_rwlock_trywrlock(pthread_rwlock_t* lock) noexcept {
  return try_acquire<CallId::pthread_rwlock_trywrlock, LockKind::write>(lock, attempt_write(lock));
}

MERIDIAN_EXPORT int pthread_rwlock_timedrdlock(pthread_rwlock_t* lock, const timespec* until) noexcept {
  const auto wait = [=] { return g_libc.pthread_rwlock_timedrdlock(lock, until); };
  if (is_refused(until)) return wait();
  return acquire<CallId::pthread_rwlock_timedrdlock, LockKind::read>(lock, attempt_read(lock), wait);
}

MERIDIAN_EXPORT int pthread_rwlock_timedwrlock(pthread_rwlock_t* lock, const timespec* until) noexcept {
  const auto wait = [=] { return g_libc.pthread_rwlock_timedwrlock(lock, until); };
  if (is_refused(until)) return wait();
  return acquire<CallId::pthread_rwlock_timedwrlock, LockKind::write>(lock, attempt_write(lock), wait);
}

MERIDIAN_EXPORT int pthread_rwlock_clockrdlock(pthread_rwlock_t* lock, clockid_t clock,
                                               const timespec* until) noexcept {
  const auto wait = [=] { return g_libc.pthread_rwlock_clockrdlock(lock, clock, until); };
  if (is_refused(until, clock)) return wait();
  return acquire<CallId::pthread_rwlock_clockrdlock, LockKind::read>(lock, attempt_read(lock), wait);
}

MERIDIAN_EXPORT int pthread_rwlock_clockwrlock(pthread_rwlock_t* lock, clockid_t clock,
                                               const timespec* until) noexcept {
  const auto wait = [=] { return g_libc.pthread_rwlock_clockwrlock(lock, clock, until); };
  if (is_refused(until, clock)) return wait();
  return acquire<CallId::pthread_rwlock_clockwrlock, LockKind::write>(lock, attempt_write(lock), wait);
}

MERIDIAN_EXPORT int pthread_rwlock_unlock(pthread_rwlock_t* lock) noexcept {
  return about_lock<CallId::pthread_rwlock_unlock, LockKind::write>(lock,
                                                                    [=] { return g_libc.pthread_rwlock_unlock(lock); });
}

MERIDIAN_EXPORT int pthread_rwlock_init(pthread_rwlock_t* lock, const pthread_rwlockattr_t* attr) noexcept {
  return about_lock<CallId::pthread_rwlock_init, LockKind::write>(
      lock, [=] { return g_libc.pthread_rwlock_init(lock, attr); });
}

MERIDIAN_EXPORT int pthread_rwlock_destroy(pthread_rwlock_t* lock) noexcept {
  return about_lock<CallId::pthread_rwlock_destroy, LockKind::write>(
      lock, [=] { return g_libc.pthread_rwlock_destroy(lock); });
}

}  // namespace meridian
