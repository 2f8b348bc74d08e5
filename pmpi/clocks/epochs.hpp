// hot
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Ping-pong exchanges during the run: after a collective of all ranks, when an exchange is due, the first ranks of the
// hosts stay a moment longer. No barrier is added, and the other ranks proceed.

#include <mpi.h>

#include <atomic>
#include <cstdint>

namespace meridian {

/// Ticks from which on the next collective is followed by round trips; the highest number: none is. [1]: the next one
/// with a root, which its ranks leave at times of their own: only where there is no other one it has to do.
extern constinit std::atomic<std::uint64_t> g_epoch_due_ticks[2];

/// `leave_ticks`: when the collective was left.
[[gnu::always_inline]] inline bool is_epoch_due(std::uint64_t leave_ticks, bool is_rooted) noexcept {
  return leave_ticks >= g_epoch_due_ticks[is_rooted ? 1 : 0].load(std::memory_order_relaxed);
}

/// Behind a collective on `comm` for which is_epoch_due().
[[gnu::cold, gnu::noinline]] void hold_epochs(MPI_Comm comm, bool is_rooted) noexcept;

}  // namespace meridian
