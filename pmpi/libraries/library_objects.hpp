// hot
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which locks are the MPI library's own, judged by their address and the caller's.

namespace meridian {

/// Notes where the MPI library, and what it brings along, is mapped now.
void find_library_objects() noexcept;

/// Whether `place`, of code or data, lies there. AS-safe.
[[gnu::cold, gnu::noinline]] bool is_in_library(const volatile void* place) noexcept;

/// Whether a lock is the library's: it lies there, or who calls does.
inline bool is_library_use(const volatile void* object, const void* caller) noexcept {
  return is_in_library(caller) || is_in_library(object);
}

}  // namespace meridian
