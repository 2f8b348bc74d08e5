// Finds the C library's functions.

#include "pmpi/threads/libc_calls.hpp"

#include <dlfcn.h>
#include <string.h>

namespace meridian {
namespace {

// pthread_cond_* exist twice in glibc; the old ones work on another layout. Where there is one version only, its name
// is unknown here and dlsym() finds it.
void* find(const char* name) noexcept {
  const bool has_two = strncmp(name, "pthread_cond_", 13) == 0 && strcmp(name + 13, "clockwait") != 0;
  void* const found = has_two ? dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2") : nullptr;
  return found != nullptr ? found : dlsym(RTLD_NEXT, name);
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
#include "pmpi/threads/libc_calls.def"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#define MERIDIAN_LIBC(type, name, params, args, missing) \
  type name##_missing params noexcept(false) { return missing; }
#include "pmpi/threads/libc_calls.def"
#pragma GCC diagnostic pop

}  // namespace

constinit LibC g_libc{
#define MERIDIAN_LIBC(type, name, params, args, missing) &name##_first,
#include "pmpi/threads/libc_calls.def"
};

void find_libc() noexcept {
#define MERIDIAN_LIBC(type, name, params, args, missing) name##_found();
#include "pmpi/threads/libc_calls.def"
}

}  // namespace meridian
