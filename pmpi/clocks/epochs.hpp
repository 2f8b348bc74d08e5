// hot
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Ping-pong exchanges during the run: when an exchange is due, the first ranks of the hosts stay a moment longer after
// a collective of all ranks. No barrier is added, and the other ranks proceed.

#include <mpi.h>

#include <atomic>
#include <cstdint>

namespace meridian {

/// The time from which the next collective is followed by ping-pong exchanges; the highest number: never. [1]: the same
/// for collectives with a root, which ranks leave at different times: they are used only if there is no other one.
extern constinit std::atomic<std::uint64_t> g_epoch_due_ticks[2];

/// `leave_ticks`: leave of the collective.
[[gnu::always_inline]] inline bool is_epoch_due(std::uint64_t leave_ticks, bool is_rooted) noexcept {
  return leave_ticks >= g_epoch_due_ticks[is_rooted ? 1 : 0].load(std::memory_order_relaxed);
}

/// Called after a collective on `comm` if is_epoch_due().
[[gnu::cold, gnu::noinline]] void hold_epochs(MPI_Comm comm, bool is_rooted) noexcept;

}  // namespace meridian
