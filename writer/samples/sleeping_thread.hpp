// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "trace/ring/process_memory.hpp"
#include "writer/samples/copied_stack.hpp"

namespace meridian {

/// Where a thread of another process sleeps: its system call, and its stack as far as it could be copied. The thread goes on meanwhile,
/// and nothing runs in it.
struct SleepingThread {
  std::uint64_t ip = 0;
  std::uint64_t sp = 0;
  std::vector<std::byte> stack;  ///< from `sp` on

  /// The frame pointer is not known: callers that only it leads to are lost.
  CopiedStack copied() const noexcept { return {ip, sp, 0, stack}; }
};

/// By /proc/PID/task/TID/syscall. nullopt: it runs, has ended, or the kernel does not let this user look (ptrace(2), PTRACE_MODE_ATTACH).
std::optional<SleepingThread> look_at_sleeping_thread(std::int32_t pid, std::int32_t kernel_tid, ProcessMemory& memory);

}  // namespace meridian
