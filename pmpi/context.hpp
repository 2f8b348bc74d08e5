#pragma once

// What a trace says of its surroundings: program, machine, environment, and what threads and process used. Cold.

#include "trace/model/event.hpp"

namespace meridian {

/// Stores what is known of this process when MPI_Init has returned.
void store_context() noexcept;

/// Stores what the calling thread, or the process, has used so far.
void store_usage(UsageKind kind) noexcept;

/// Stores what every thread that still has a ring, and the process, has used so far: for threads that end with the
/// process. Of other threads than the calling one, user and system time are told apart to 10 ms.
void store_usage_of_all() noexcept;

}  // namespace meridian
