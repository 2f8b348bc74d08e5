// SPDX-License-Identifier: Apache-2.0
#pragma once

// MPI calls that a program makes inside its MPI calls: in callbacks (attributes, reductions, error handlers, generalized
// requests) and signal handlers. Each depth of them has a ring and a ThreadId of its own: the records of a ring follow
// each other in time, the call around them remains visible as a call in progress, and other calls cost nothing more.
//
// The MPI library calls MPI functions, too. The two are distinguished by the return address: callbacks are neither in the
// library nor in the tracer. A callback that ends with an MPI call may jump to it; the return address is then the
// library's, behind a call through a pointer, by which it calls callbacks and no MPI function. Wrapping each callback
// where it is registered would need wrappers without number (reduction operators have no argument to recognise them by),
// in three languages, and would miss those registered before. Cold.

#include "papi/thread_counters.hpp"
#include "pmpi/rings/thread_state.hpp"

namespace meridian {

struct Nest {
  static constexpr std::uint32_t kMostLevels = 4;
  static constexpr std::uint32_t kKnownCallers = 64;
  struct Level {
    ThreadState outer;                 ///< the thread's state in the call around the nested ones
    ThreadState inner;                 ///< its state between them
    long long at_enter[kMaxCounters];  ///< counters of the outer call
    bool is_read;                      ///< whether it has counters
  };
  std::uint32_t depth = 0;                     ///< of the call in progress; 0: it is not nested
  std::uintptr_t callers[kKnownCallers] = {};  ///< return addresses in the program, by their low bits
  Level levels[kMostLevels];
};

/// Whether the calling thread stores records in this slot, in calls of any depth.
bool is_own_slot(const RingSlot& slot) noexcept;

/// Called at the end of the thread: ends its nested calls, and makes its state that of the outermost call. `release` is
/// then called with the state of each of its rings for nested calls.
void release_nest(ThreadState& thread, void (*release)(ThreadState& inner) noexcept) noexcept;

}  // namespace meridian
