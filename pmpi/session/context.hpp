// SPDX-License-Identifier: Apache-2.0
#pragma once

// The context of a trace: program, machine, environment, and the resources that threads and process used. Cold.

#include "trace/model/event.hpp"

namespace meridian {

/// Stores what is known about this process after MPI_Init.
void store_context() noexcept;

/// Stores the resources that the calling thread, or the process, has used so far.
void store_usage(UsageKind kind) noexcept;

/// Stores what every thread that still has a ring, and the process, has used so far: for threads that end with the
/// process. Of other threads than the calling one, user and system time are told apart to 10 ms.
void store_usage_of_all() noexcept;

}  // namespace meridian
