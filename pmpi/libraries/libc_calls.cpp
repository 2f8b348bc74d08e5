// SPDX-License-Identifier: Apache-2.0
// Finds the functions of the C library.

#include "pmpi/libraries/libc_calls.hpp"

#include <dlfcn.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>

#include <initializer_list>

namespace meridian {
namespace {

bool is_same_object(void* left, void* right) noexcept {
  Dl_info of_left{};
  Dl_info of_right{};
  return dladdr(left, &of_left) != 0 && dladdr(right, &of_right) != 0 && of_left.dli_fbase == of_right.dli_fbase;
}

// The next definition after ours: the C library's, or that of another interposer (ThreadSanitizer, another tracer),
// which must see every call. glibc has two versions of pthread_cond_*, of which the old ones use another layout,
// whereas interposers have one, without a version. A function with only one version has a version name that is unknown
// here; dlsym() finds it.
void* find(const char* name) noexcept {
  void* const next = dlsym(RTLD_NEXT, name);
  const bool has_two = strncmp(name, "pthread_cond_", 13) == 0 && strcmp(name + 13, "clockwait") != 0;
  void* const newer = has_two ? dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2") : nullptr;
  return newer != nullptr && (next == nullptr || is_same_object(newer, next)) ? newer : next;
}

#define MERIDIAN_LIBC(type, name, params, args, missing)                                             \
  type name##_missing params noexcept(false);                                                        \
  auto name##_found() noexcept {                                                                     \
    void* const found = find(#name);                                                                 \
    auto* const real = found != nullptr ? reinterpret_cast<type(*) params>(found) : &name##_missing; \
    __atomic_store_n(&g_libc.name, real, __ATOMIC_RELEASE);                                          \
    return real;                                                                                     \
  }                                                                                                  \
  type name##_first params noexcept(false) { return name##_found() args; }
#include "pmpi/libraries/libc_calls.def"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#define MERIDIAN_LIBC(type, name, params, args, missing) \
  type name##_missing params noexcept(false) { return missing; }
#include "pmpi/libraries/libc_calls.def"
#pragma GCC diagnostic pop

int look_and_lock(pthread_mutex_t* mutex) noexcept {
  return is_taken(mutex) ? EBUSY : g_libc.pthread_mutex_lock(mutex);
}

}  // namespace

bool is_taken(const pthread_mutex_t* mutex) noexcept {
#ifdef __GLIBC__
  const auto word = static_cast<unsigned>(__atomic_load_n(&mutex->__data.__lock, __ATOMIC_RELAXED));
  if ((word & FUTEX_TID_MASK) == 0) return false;
  // For these types, a thread that already has the mutex does not wait: its call succeeds or fails at once.
  constexpr int kRecursiveOrChecking = 3;
  if ((__atomic_load_n(&mutex->__data.__kind, __ATOMIC_RELAXED) & kRecursiveOrChecking) == 0) return true;
  return __atomic_load_n(&mutex->__data.__owner, __ATOMIC_RELAXED) != syscall(SYS_gettid);
#else
  return false;
#endif
}

constinit LibC g_libc{
#define MERIDIAN_LIBC(type, name, params, args, missing) &name##_first,
#include "pmpi/libraries/libc_calls.def"
    &pthread_mutex_trylock_first,
};

constinit bool g_is_libc_below = true;

void find_libc() noexcept {
#define MERIDIAN_LIBC(type, name, params, args, missing) name##_found();
#include "pmpi/libraries/libc_calls.def"
  // No interposer defines pthread_mutex_consistent(), which is in the same library as the other mutex functions.
  void* const theirs = dlsym(RTLD_NEXT, "pthread_mutex_consistent");
  for (const char* name : {"pthread_mutex_lock", "pthread_mutex_trylock", "pthread_mutex_unlock", "pthread_once"}) {
    void* const next = dlsym(RTLD_NEXT, name);
    if (next != nullptr && theirs != nullptr && !is_same_object(next, theirs)) g_is_libc_below = false;
  }
  __atomic_store_n(&g_libc.attempt_mutex, g_is_libc_below ? g_libc.pthread_mutex_trylock : &look_and_lock,
                   __ATOMIC_RELEASE);
}

}  // namespace meridian
