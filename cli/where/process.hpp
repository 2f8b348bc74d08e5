#pragma once

// What the kernel says of threads and memory of a process that lives. Nothing here stops it, or waits for it.

#include <cstdint>
#include <optional>
#include <set>

#include "trace/model/event.hpp"

namespace meridian {

/// How often a thread has stopped running so far, if it does not run now; nullopt: it runs, or is gone.
std::optional<std::uint64_t> times_stopped(std::int32_t pid, std::int32_t kernel_tid);

/// Kernel tids of the threads of a process.
std::set<std::int32_t> threads_of(std::int32_t pid);

/// Kernel tid of the thread that has a lock of the process, as its C library notes it; 0: nobody. nullopt: nothing is
/// noted for this kind, or the kernel does not let us look.
std::optional<std::int32_t> lock_holder(std::int32_t pid, std::uint64_t object, LockKind kind);

}  // namespace meridian
