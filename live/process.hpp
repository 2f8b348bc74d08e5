// SPDX-License-Identifier: Apache-2.0
#pragma once

// Threads and memory of a running process, as reported by the kernel. Nothing here stops or delays the process.

#include <cstdint>
#include <optional>
#include <set>

#include "trace/model/event.hpp"

namespace meridian {

/// Number of context switches of a thread that is asleep now; nullopt: it runs or has ended.
std::optional<std::uint64_t> times_stopped(std::int32_t pid, std::int32_t kernel_tid);

/// Kernel tids of the threads of a process.
std::set<std::int32_t> threads_of(std::int32_t pid);

/// CPU time that a thread has used, in the program and in the kernel, to 10 ms; nullopt: it has ended.
std::optional<double> cpu_seconds(std::int32_t pid, std::int32_t kernel_tid);

/// Kernel tid of the holder of a lock of the process, as its C library stores it; 0: none. nullopt: not stored for this
/// kind of lock, or reading is not permitted.
std::optional<std::int32_t> lock_holder(std::int32_t pid, std::uint64_t object, LockKind kind);

}  // namespace meridian
