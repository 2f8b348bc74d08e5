// SPDX-License-Identifier: Apache-2.0
// Finds the functions of the OpenMP library that the program has loaded.

#include "pmpi/openmp/openmp_library.hpp"

#include <dlfcn.h>
#include <errno.h>

#include "pmpi/process/own_thread.hpp"

namespace meridian {
namespace {

// Those that have the entry points of GCC's library, in a program that has loaded them with dlopen(): then the next
// definition is not in the global scope.
constexpr const char* kOmpLibraries[] = {"libgomp.so.1", "libomp.so.5", "libomp.so", "libiomp5.so"};

void* find_omp(const char* name) noexcept {
  const BusyThread busy;
  const int before = errno;
  void* found = dlsym(RTLD_NEXT, name);
  for (const char* const file : kOmpLibraries) {
    if (found != nullptr) break;
    void* const library = dlopen(file, RTLD_LAZY | RTLD_NOLOAD);  // never loads it
    if (library == nullptr) continue;
    found = dlsym(library, name);
    dlclose(library);
  }
  errno = before;
  return found;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#define MERIDIAN_OMP(type, name, params, args, missing)                                              \
  type name##_missing params noexcept(false) { return missing; }                                     \
  type name##_first params noexcept(false) {                                                         \
    void* const found = find_omp(#name);                                                             \
    auto* const real = found != nullptr ? reinterpret_cast<type(*) params>(found) : &name##_missing; \
    __atomic_store_n(&g_omp.name, real, __ATOMIC_RELEASE);                                           \
    return real args;                                                                                \
  }
#include "pmpi/openmp/openmp_calls.def"
#pragma GCC diagnostic pop

}  // namespace

constinit LibOmp g_omp{
#define MERIDIAN_OMP(type, name, params, args, missing) &name##_first,
#include "pmpi/openmp/openmp_calls.def"
};

}  // namespace meridian
