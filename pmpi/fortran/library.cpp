// SPDX-License-Identifier: Apache-2.0
// Finds the Fortran library of this process's MPI.

#include "pmpi/fortran/library.hpp"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <mpi.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "pmpi/libraries/libc_calls.hpp"
#include "pmpi/process/session_state.hpp"

namespace meridian {

constinit FortranConstants g_fortran{};
constinit std::atomic<bool> g_fortran_ready{false};

namespace {

constexpr std::size_t kNameBytes = 80;

struct Search {
  const char* name;
  void* found;
};

/// A loaded object that defines the name itself, but not in the global scope: an MPI that was loaded by dlopen.
int take_if_defined(dl_phdr_info* object, std::size_t, void* data) {
  auto& search = *static_cast<Search*>(data);
  if (object->dlpi_name == nullptr || object->dlpi_name[0] == '\0') return 0;
  void* const handle = dlopen(object->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
  if (handle == nullptr) return 0;
  void* const symbol = dlsym(handle, search.name);
  Dl_info where{};
  const bool is_its_own =
      symbol != nullptr && dladdr(symbol, &where) != 0 && where.dli_fbase == reinterpret_cast<void*>(object->dlpi_addr);
  if (is_its_own) search.found = symbol;
  dlclose(handle);
  return is_its_own ? 1 : 0;
}

/// The address of a name outside the tracer, null if it is not defined.
void* find_symbol(const char* name) noexcept {
  void* const symbol = dlsym(RTLD_DEFAULT, name);
  if (symbol != nullptr) return symbol;
  Search search{name, nullptr};
  dl_iterate_phdr(&take_if_defined, &search);
  return search.found;
}

/// One of the ways in which compilers spell the global name `lower` ("mpi_send").
void spell(char* to, const char* lower, int spelling) noexcept {
  static const char* const kSuffix[] = {"_", "", "__", ""};
  const std::size_t length = strlen(lower);
  for (std::size_t i = 0; i < length; ++i) {
    const bool is_lower = lower[i] >= 'a' && lower[i] <= 'z';
    to[i] = spelling == 3 && is_lower ? static_cast<char>(lower[i] - 'a' + 'A') : lower[i];
  }
  strcpy(to + length, kSuffix[spelling]);
}
constexpr int kSpellings = 4;

/// The addresses of the Fortran 77 variable `lower`, plus `offset` bytes, and of the variable `exact`.
FortranConstant find_constant(const char* lower, std::ptrdiff_t offset, const char* exact) noexcept {
  FortranConstant constant{};
  char name[kNameBytes];
  for (int i = 0; i < kSpellings; ++i) {
    spell(name, lower, i);
    const auto* const variable = static_cast<const char*>(find_symbol(name));
    // A missing variable must not equal any argument of a program, including null.
    constant.at[i] = variable != nullptr ? variable + offset : reinterpret_cast<const char*>(&g_fortran);
  }
  const void* const variable = exact != nullptr ? find_symbol(exact) : nullptr;
  constant.at[kSpellings] = variable != nullptr ? variable : &g_fortran;
  return constant;
}

void find_constants() noexcept {
#ifdef OPEN_MPI
  g_fortran.in_place = find_constant("mpi_fortran_in_place", 0, nullptr);
  g_fortran.status_ignore = find_constant("mpi_fortran_status_ignore", 0, nullptr);
  g_fortran.statuses_ignore = find_constant("mpi_fortran_statuses_ignore", 0, nullptr);
#else
  // mpif.h: COMMON /MPIPRIV1/ MPI_BOTTOM, MPI_IN_PLACE, MPI_STATUS_IGNORE; COMMON /MPIPRIV2/ MPI_STATUSES_IGNORE...
  constexpr std::ptrdiff_t kInteger = sizeof(MPI_Fint);
  g_fortran.in_place = find_constant("mpipriv1", kInteger, "MPIR_F08_MPI_IN_PLACE");
  g_fortran.status_ignore = find_constant("mpipriv1", 2 * kInteger, "MPIR_F08_MPI_STATUS_IGNORE_OBJ");
  g_fortran.statuses_ignore = find_constant("mpipriv2", 0, "MPIR_F08_MPI_STATUSES_IGNORE_OBJ");
#endif
}

pthread_once_t g_constants_once = PTHREAD_ONCE_INIT;

/// The profiling definition of "mpi_send_" or "mpi_send_f08_"; null: none.
void* find_profiling(const char* name) noexcept {
  char lower[kNameBytes] = "p";
  char other[kNameBytes];
  strcpy(lower + 1, name);
  if (void* const found = find_symbol(lower)) return found;
  strcpy(other, "pmpir");  // MPICH: pmpir_send_f08ts_
  strcpy(other + strlen(other), name + strlen("mpi"));
  if (void* const found = find_symbol(other)) return found;
  lower[strlen(lower) - 1] = '\0';
  for (int i = 1; i < kSpellings; ++i) {
    spell(other, lower, i);
    if (void* const found = find_symbol(other)) return found;
  }
  return nullptr;
}

/// The file that has the code at `address`.
const char* file_of(const void* address) noexcept {
  Dl_info where{};
  return address != nullptr && dladdr(address, &where) != 0 && where.dli_fname != nullptr ? where.dli_fname : "";
}

/// The next definition of this name where it is another tool's, otherwise the profiling one.
void* find_next(const char* name) noexcept {
  void* const next = dlsym(RTLD_NEXT, name);
  void* const profiling = find_profiling(name);
  if (next == nullptr || profiling == nullptr) return next != nullptr ? next : profiling;
  const char* const file = file_of(next);
  const bool is_tool = strcmp(file, file_of(profiling)) != 0 && strstr(file, "/libmeridian.so") == nullptr;
  return is_tool ? next : profiling;
}

}  // namespace

void* NextProcedure::find() noexcept {
  const int saved = errno;
  void* const found = find_next(name_);
  if (found == nullptr) {
    say("symbol lookup error: the MPI library has no '%s'", name_);
    _exit(127);
  }
  __atomic_store_n(&procedure_, found, __ATOMIC_RELAXED);
  errno = saved;
  return found;
}

bool prepare_fortran() noexcept {
  const int saved = errno;
  const bool is_tracing = start_session();
  if (is_tracing) {
    g_libc.pthread_once(&g_constants_once, [] { find_constants(); });
    g_fortran_ready.store(true, std::memory_order_release);
  }
  errno = saved;
  return is_tracing;
}

}  // namespace meridian
