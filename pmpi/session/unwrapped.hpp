// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace meridian {

/// The time at which calls without a wrapper are looked for. At the end, functions that were bound lazily and never
/// called are left out.
enum class LookAt { start, end };

/// Stores the names of MPI functions that the program or one of its libraries imports and this tracer does not wrap,
/// because it was built with the mpi.h of another version. At the start also the functions that the MPI library exports and this
/// tracer does not wrap, whether or not the program uses them. Call after find_library_objects(). Addresses that the
/// program gets from dlsym are not seen.
void store_unwrapped_calls(LookAt when) noexcept;

}  // namespace meridian
