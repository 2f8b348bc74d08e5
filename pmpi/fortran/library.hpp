// hot
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The Fortran library of the underlying MPI, found at run time: the next definition of each procedure, and the named
// constants that are variables, recognised by their addresses.

#include <atomic>
#include <cstddef>

namespace meridian {

/// One argument as passed by Fortran: an address, or after all others the length of a CHARACTER argument.
using Word = void*;

/// The definition to which one of our procedures forwards, unchanged: Fortran calls never become C calls, because some
/// of their arguments (MPI_IN_PLACE, MPI_BOTTOM, MPI_UNWEIGHTED...) have a meaning only for the Fortran library.
class NextProcedure {
 public:
  /// `name`: the linker's name of our definition, in lower case and with underscore.
  explicit constexpr NextProcedure(const char* name) noexcept : name_{name} {}
  [[gnu::always_inline]] void* get() noexcept {
    void* const found = __atomic_load_n(&procedure_, __ATOMIC_RELAXED);
    return found != nullptr ? found : find();
  }

 private:
  /// Ends the process like the dynamic linker, if the program calls a procedure that its MPI library does not have.
  [[gnu::cold, gnu::noinline]] void* find() noexcept;

  const char* name_;
  void* procedure_ = nullptr;
};

/// A named constant: the addresses of the variables that may represent it, one for each spelling of a global name.
struct FortranConstant {
  static constexpr std::size_t kSpellings = 5;
  const void* at[kSpellings];
  [[gnu::always_inline]] bool is(const void* address) const noexcept {
    bool same = false;
    for (const void* each : at) same |= each == address;
    return same;
  }
};
struct FortranConstants {
  FortranConstant in_place;
  FortranConstant status_ignore;
  FortranConstant statuses_ignore;
};
extern constinit FortranConstants g_fortran;
extern constinit std::atomic<bool> g_fortran_ready;

/// Starts the session if necessary and fills g_fortran. False: nothing is traced.
[[gnu::cold, gnu::noinline]] bool prepare_fortran() noexcept;

/// True when arguments may be converted and compared.
[[gnu::always_inline]] inline bool is_fortran_ready() noexcept {
  return g_fortran_ready.load(std::memory_order_acquire) || prepare_fortran();
}

}  // namespace meridian
