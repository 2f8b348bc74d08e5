// hot
// SPDX-License-Identifier: Apache-2.0

// Condition variables: pthread_cond_* and C11's cnd_*. A wait is always recorded, a signal only if a thread waits.

#include "pmpi/rings/thread_state.hpp"
#include "pmpi/threads/lock_call.hpp"

namespace meridian {

namespace {

/// Whether a signal could wake a thread, according to the C library's state.
[[gnu::always_inline]] inline bool has_waiters(const pthread_cond_t* condition) noexcept {
#ifdef __GLIBC__
  return __atomic_load_n(&condition->__data.__wrefs, __ATOMIC_RELAXED) >> 3 != 0;
#else
  return true;
#endif
}
[[gnu::always_inline]] inline bool has_waiters(const cnd_t* condition) noexcept {
  return has_waiters(reinterpret_cast<const pthread_cond_t*>(condition));
}

template <CallId id, class Condition, class Mutex, class Call>
[[gnu::always_inline]] inline int wait_for(Condition* condition, Mutex* mutex, Call call) noexcept(false) {
  if (is_off(id, caller())) return call();
  return recorded_lock<id>({condition, mutex, LockKind::condition, true, 0, caller()}, call);
}

template <CallId id, class Condition, class Call>
[[gnu::always_inline]] inline int wake(Condition* condition, Call call) noexcept(false) {
  const std::uint8_t level = g_enabled[static_cast<std::size_t>(id)];
  if (level == kNotRecorded || level == kLeftOut) {
    if (level == kLeftOut) leave_out(id, caller());
    return call();
  }
  if (level == kRecorded && !has_waiters(condition)) {
    if (is_application()) count_use(condition, LockKind::unawaited);
    return call();
  }
  return recorded_lock<id>({condition, nullptr, LockKind::condition, has_waiters(condition), 0, caller()}, call);
}

}  // namespace

MERIDIAN_EXPORT int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  return wait_for<CallId::pthread_cond_wait>(condition, mutex,
                                             [=] { return g_libc.pthread_cond_wait(condition, mutex); });
}

MERIDIAN_EXPORT int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex, const timespec* until) {
  return wait_for<CallId::pthread_cond_timedwait>(
      condition, mutex, [=] { return g_libc.pthread_cond_timedwait(condition, mutex, until); });
}

MERIDIAN_EXPORT int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                                           const timespec* until) {
  return wait_for<CallId::pthread_cond_clockwait>(
      condition, mutex, [=] { return g_libc.pthread_cond_clockwait(condition, mutex, clock, until); });
}

MERIDIAN_EXPORT int pthread_cond_signal(pthread_cond_t* condition) noexcept {
  return wake<CallId::pthread_cond_signal>(condition, [=] { return g_libc.pthread_cond_signal(condition); });
}

MERIDIAN_EXPORT int pthread_cond_broadcast(pthread_cond_t* condition) noexcept {
  return wake<CallId::pthread_cond_broadcast>(condition, [=] { return g_libc.pthread_cond_broadcast(condition); });
}

MERIDIAN_EXPORT int pthread_cond_init(pthread_cond_t* condition, const pthread_condattr_t* attr) noexcept {
  return about_lock<CallId::pthread_cond_init, LockKind::condition>(
      condition, [=] { return g_libc.pthread_cond_init(condition, attr); });
}

MERIDIAN_EXPORT int pthread_cond_destroy(pthread_cond_t* condition) noexcept {
  return about_lock<CallId::pthread_cond_destroy, LockKind::condition>(
      condition, [=] { return g_libc.pthread_cond_destroy(condition); });
}

MERIDIAN_EXPORT int cnd_init(cnd_t* condition) {
  return about_lock<CallId::cnd_init, LockKind::condition>(condition, [=] { return g_libc.cnd_init(condition); });
}

MERIDIAN_EXPORT void cnd_destroy(cnd_t* condition) {
  about_lock<CallId::cnd_destroy, LockKind::condition>(condition, [=] {
    g_libc.cnd_destroy(condition);
    return 0;
  });
}

MERIDIAN_EXPORT int cnd_wait(cnd_t* condition, mtx_t* mutex) {
  return wait_for<CallId::cnd_wait>(condition, mutex, [=] { return g_libc.cnd_wait(condition, mutex); });
}

MERIDIAN_EXPORT int cnd_timedwait(cnd_t* condition, mtx_t* mutex, const timespec* until) {
  return wait_for<CallId::cnd_timedwait>(condition, mutex,
                                         [=] { return g_libc.cnd_timedwait(condition, mutex, until); });
}

MERIDIAN_EXPORT int cnd_signal(cnd_t* condition) {
  return wake<CallId::cnd_signal>(condition, [=] { return g_libc.cnd_signal(condition); });
}

MERIDIAN_EXPORT int cnd_broadcast(cnd_t* condition) {
  return wake<CallId::cnd_broadcast>(condition, [=] { return g_libc.cnd_broadcast(condition); });
}

}  // namespace meridian
