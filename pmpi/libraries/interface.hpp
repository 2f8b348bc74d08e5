// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>

// The binary interface of MPI libraries. One libmeridian.so serves one interface; in a process with another it must not run.

namespace meridian {

enum class Interface : std::uint8_t {
  openmpi,
  mpich,  ///< that of MPICH, Intel MPI, MVAPICH and Cray MPICH
  abi,    ///< the standard's own since MPI 5.0, libmpi_abi
};

/// The interface that this tracer was compiled for.
#if defined(MERIDIAN_STANDARD_ABI)
inline constexpr Interface kOwnInterface = Interface::abi;
#elif defined(OPEN_MPI)
inline constexpr Interface kOwnInterface = Interface::openmpi;
#else
inline constexpr Interface kOwnInterface = Interface::mpich;
#endif

constexpr const char* interface_name(Interface interface) noexcept {
  constexpr const char* kNames[] = {"Open MPI", "MPICH", "the standard ABI of MPI"};
  return kNames[static_cast<std::size_t>(interface)];
}

/// The folder of the tracer for it, beside the others.
constexpr const char* interface_folder(Interface interface) noexcept {
  constexpr const char* kFolders[] = {"openmpi", "mpich", "abi"};
  return kFolders[static_cast<std::size_t>(interface)];
}

/// Whether an address is in this library. Unlike dladdr(), which compares all symbols of a file, this costs nothing.
bool is_in_tracer(const void* address) noexcept;

/// The MPI library of this process.
struct Library {
  const void* init = nullptr;  ///< its PMPI_Init; null: there is no MPI
  void* scope = nullptr;       ///< for dlsym(): the handle of the library, or the global scope
  Interface interface = kOwnInterface;
  const char* path = "";  ///< of the file that defines PMPI_Init: a library, or the program itself

  bool is_foreign() const noexcept { return init != nullptr && interface != kOwnInterface; }
};
Library find_library() noexcept;

/// Whether the file at `base` is the MPI library of this process and has the tracer's interface. If the file is in no scope in which
/// find_library() looks first, find_library() finds it from now on.
bool adopt_library(const void* base, const char* path) noexcept;

/// Replaces the beginning of each wrapper MPI_X by a jump to the next MPI_X, so that calls arrive there as the program made them.
/// For a library of another interface, whose handles and statuses have another size: the wrappers cannot even pass a call on.
/// False: the system does not let code be changed, or a function is too short; then some wrappers may be replaced, others not.
bool bypass_wrappers(const Library& library) noexcept;

}  // namespace meridian
