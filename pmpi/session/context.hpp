// SPDX-License-Identifier: Apache-2.0
#pragma once

// The context of a trace: program, machine, environment, and the resources that threads and process used. Cold.

#include "trace/model/event.hpp"

namespace meridian {

/// Stores the data about this process that are known after MPI_Init.
void store_context() noexcept;

/// Stores the resource usage of the calling thread, or of the process, so far.
void store_usage(UsageKind kind, std::uint64_t ready_us = 0) noexcept;

/// Stores the resource usage of every thread that still has a ring, and of the process: for threads that end with the
/// process. User and system time of other threads have a resolution of 10 ms.
void store_usage_of_all() noexcept;

}  // namespace meridian
