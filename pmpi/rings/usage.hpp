// SPDX-License-Identifier: Apache-2.0
#pragma once

// The resources that threads and the process have used. Cold.

#include "trace/model/event.hpp"

namespace meridian {

/// Stores the resource usage of the calling thread so far.
void store_thread_usage(UsageKind kind) noexcept;

/// Stores the resource usage of the process so far, with the time that its threads were ready to run and had no processor: at
/// the begin and the end of each span that is recorded. After an end without a later begin that time is no longer stored.
void store_process_usage(UsageKind kind) noexcept;

/// The recording is switched on or off: a span of the process begins or ends, unless it has.
void note_recording(bool is_on) noexcept;

/// Stores the resource usage of every thread that still has a ring, and of the process: for threads that end with the
/// process. User and system time of other threads have a resolution of 10 ms.
void store_usage_of_all() noexcept;

}  // namespace meridian
