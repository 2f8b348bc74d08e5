// hot
// SPDX-License-Identifier: Apache-2.0

// POSIX semaphores. They return 0, or -1 with errno; here errno represents the result in between.

#include "pmpi/rings/thread_state.hpp"
#include "pmpi/threads/lock_call.hpp"

namespace meridian {

namespace {

/// The result of `call`, or the errno that it set.
template <class Call>
[[gnu::always_inline]] inline int posix_result(Call call) noexcept(false) {
  return call() == 0 ? 0 : errno;
}

[[gnu::always_inline]] inline int to_semaphore(int result) noexcept {
  if (result == 0) return 0;
  errno = result;
  return -1;
}

/// EBUSY, with errno unchanged, if the semaphore is 0.
[[gnu::always_inline]] inline int attempt(sem_t* semaphore) noexcept {
  const int before = errno;
  if (g_libc.sem_trywait(semaphore) == 0) return 0;
  if (errno != EAGAIN) return errno;
  errno = before;
  return EBUSY;
}

/// `wait` is a cancellation point even if it need not wait; the try is not.
template <CallId id, class Wait>
[[gnu::always_inline]] inline int take(sem_t* semaphore, Wait wait) noexcept(false) {
  if (is_off(id, caller())) return wait();
  g_libc.pthread_testcancel();
  return to_semaphore(acquire<id, LockKind::semaphore>(
      semaphore, [=] { return attempt(semaphore); }, [=] { return posix_result(wait); }));
}

#ifdef __GLIBC__
/// The C library's own count of waiters, stored beside the value.
[[gnu::always_inline]] inline bool has_waiters(const sem_t* semaphore) noexcept {
  return __atomic_load_n(reinterpret_cast<const std::uint64_t*>(semaphore), __ATOMIC_RELAXED) >> 32 != 0;
}
#else
[[gnu::always_inline]] inline bool has_waiters(const sem_t*) noexcept { return true; }
#endif

template <CallId id, class Call>
[[gnu::always_inline]] inline int about_semaphore(sem_t* semaphore, Call call) noexcept(false) {
  if (is_off(id, caller())) return call();
  return to_semaphore(recorded_lock<id>({semaphore, nullptr, LockKind::semaphore, false, 0, caller()},
                                        [=] { return posix_result(call); }));
}

}  // namespace

MERIDIAN_EXPORT int sem_wait(sem_t* semaphore) {
  return take<CallId::sem_wait>(semaphore, [=] { return g_libc.sem_wait(semaphore); });
}

MERIDIAN_EXPORT int sem_timedwait(sem_t* semaphore, const timespec* until) {
  const auto wait = [=] { return g_libc.sem_timedwait(semaphore, until); };
  if (is_refused(until)) return wait();
  return take<CallId::sem_timedwait>(semaphore, wait);
}

MERIDIAN_EXPORT int sem_clockwait(sem_t* semaphore, clockid_t clock, const timespec* until) {
  const auto wait = [=] { return g_libc.sem_clockwait(semaphore, clock, until); };
  if (is_refused(until, clock)) return wait();
  return take<CallId::sem_clockwait>(semaphore, wait);
}

MERIDIAN_EXPORT int sem_trywait(sem_t* semaphore) noexcept {
  if (is_off(CallId::sem_trywait, caller())) return g_libc.sem_trywait(semaphore);
  const int result =
      try_acquire<CallId::sem_trywait, LockKind::semaphore>(semaphore, [=] { return attempt(semaphore); });
  return to_semaphore(result == EBUSY ? EAGAIN : result);
}

// May be called by a signal handler: a thread that is still unknown to the tracer is ignored.
MERIDIAN_EXPORT int sem_post(sem_t* semaphore) noexcept {
  const std::uint8_t level = g_enabled[static_cast<std::size_t>(CallId::sem_post)];
  if (level == kNotRecorded || t_own.thread == kNoThread) return g_libc.sem_post(semaphore);
  if (level == kLeftOut) {
    leave_out(CallId::sem_post, caller());
    return g_libc.sem_post(semaphore);
  }
  if (level == kRecorded && !has_waiters(semaphore)) return g_libc.sem_post(semaphore);
  const int before = errno;
  const int result =
      recorded_lock<CallId::sem_post>({semaphore, nullptr, LockKind::semaphore, has_waiters(semaphore), 0, caller()},
                                      [=] { return posix_result([=] { return g_libc.sem_post(semaphore); }); });
  if (result != 0) return to_semaphore(result);
  errno = before;
  return 0;
}

MERIDIAN_EXPORT int sem_init(sem_t* semaphore, int shared, unsigned value) noexcept {
  return about_semaphore<CallId::sem_init>(semaphore, [=] { return g_libc.sem_init(semaphore, shared, value); });
}

MERIDIAN_EXPORT int sem_destroy(sem_t* semaphore) noexcept {
  return about_semaphore<CallId::sem_destroy>(semaphore, [=] { return g_libc.sem_destroy(semaphore); });
}

}  // namespace meridian
