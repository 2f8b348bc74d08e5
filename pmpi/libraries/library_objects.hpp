// hot
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Identifies the MPI library's own locks by their address and the caller's.

namespace meridian {

/// Records the present address ranges of the MPI library and of the libraries that belong to it.
void find_library_objects() noexcept;

/// Whether `place`, of code or data, is in one of these ranges. AS-safe.
[[gnu::cold, gnu::noinline]] bool is_in_library(const volatile void* place) noexcept;

/// Names an address in the MPI library, which may have a name of its own or be a part of the program's file.
void note_library_code(const void* address) noexcept;

/// Whether `place` is in the tracer, or in the file that has the MPI library's code under a name of its own.
[[gnu::cold, gnu::noinline]] bool is_around_program(const volatile void* place) noexcept;

/// Whether a lock is the library's: its address or the caller's is in the library.
inline bool is_library_use(const volatile void* object, const void* caller) noexcept {
  return is_in_library(caller) || is_in_library(object);
}

}  // namespace meridian
