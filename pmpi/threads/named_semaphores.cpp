// SPDX-License-Identifier: Apache-2.0
// Named semaphores, shared between processes: open, close, unlink. Cold, except for the records.

#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>

#include "pmpi/rings/emit.hpp"
#include "pmpi/threads/lock_call.hpp"

namespace meridian {

namespace {

using SemOpen = sem_t*(const char* name, int flags, ...);
constinit std::atomic<SemOpen*> g_sem_open{nullptr};  // not in a function table, whose entries cannot have `...`

sem_t* open_semaphore(const char* name, int flags, mode_t mode, unsigned value) noexcept {
  SemOpen* real = g_sem_open.load(std::memory_order_acquire);
  if (real == nullptr) {
    const int before = errno;
    real = reinterpret_cast<SemOpen*>(dlsym(RTLD_NEXT, "sem_open"));
    errno = before;
    g_sem_open.store(real, std::memory_order_release);
  }
  if (real == nullptr) {
    errno = ENOSYS;
    return SEM_FAILED;
  }
  return (flags & O_CREAT) != 0 ? real(name, flags, mode, value) : real(name, flags);
}

/// The cause of a failure is in errno, which is stored as the result.
bool store_errno(std::uint64_t* body) noexcept {
  body[2] |= static_cast<std::uint64_t>(static_cast<std::uint32_t>(errno)) << 32;
  return false;
}

void store_name(const sem_t* semaphore, const char* name) noexcept {
  const int before = errno;
  if (*g_is_same_process != 0 && is_application())
    emit_text(kSemaphoreNameKey, name, strlen(name), reinterpret_cast<std::uintptr_t>(semaphore));
  errno = before;
}

}  // namespace

MERIDIAN_EXPORT sem_t* sem_open(const char* name, int flags, ...) noexcept {
  mode_t mode = 0;
  unsigned value = 0;
  if ((flags & O_CREAT) != 0) {
    va_list arguments;
    va_start(arguments, flags);
    mode = va_arg(arguments, mode_t);
    value = va_arg(arguments, unsigned);
    va_end(arguments);
  }
  const auto call = [=] { return open_semaphore(name, flags, mode, value); };
  const void* const from = caller();
  if (is_off(CallId::sem_open, from) || is_in_library(from)) return call();
  sem_t* const opened = recorded<CallId::sem_open, Payload::lock, kLockWords>(
      LockBody{nullptr, nullptr, LockKind::semaphore, false, 0, from}, call,
      [](std::uint64_t* body, const sem_t* result) {
        if (result == SEM_FAILED) return store_errno(body);
        body[0] = reinterpret_cast<std::uintptr_t>(result);
        return true;
      },
      from);
  if (opened != SEM_FAILED) store_name(opened, name);
  return opened;
}

// glibc unmaps a semaphore after it was closed as often as it was opened.
MERIDIAN_EXPORT int sem_close(sem_t* semaphore) noexcept {
  const auto call = [=] { return g_libc.sem_close(semaphore); };
  const void* const from = caller();
  if (is_off(CallId::sem_close, from) || is_library_use(semaphore, from)) return call();
  return recorded<CallId::sem_close, Payload::lock, kLockWords>(
      LockBody{semaphore, nullptr, LockKind::semaphore, false, 0, from}, call,
      [](std::uint64_t* body, int result) { return result == 0 || store_errno(body); }, from);
}

MERIDIAN_EXPORT int sem_unlink(const char* name) noexcept {
  const auto call = [=] { return g_libc.sem_unlink(name); };
  const void* const from = caller();
  if (is_off(CallId::sem_unlink, from) || is_in_library(from)) return call();
  return recorded<CallId::sem_unlink, Payload::local, 0>([](std::uint64_t*) {}, call,
                                                         [](std::uint64_t*, int result) { return result == 0; }, from);
}

}  // namespace meridian
