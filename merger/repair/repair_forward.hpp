// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "merger/model/clocks.hpp"
#include "merger/repair/repair_tables.hpp"
#include "trace/model/result.hpp"

namespace meridian {

struct ForwardResult {
  std::vector<bool> is_chain_moved;  ///< [chains]
  std::uint64_t withdrawn = 0;       ///< collectives that no longer imply an order
};

/// The controlled logical clock. Fills tables.moved with new times for both ends of every call, in an order in which
/// each end comes after all that it must follow: v = max(x, v_prev + (1 - 1e-3)(x - x_prev), needs + 1), in integers. x
/// is the clock's time; prev is the previous end in the rank, across all its threads. Where the clock has a bound (T1), v
/// exceeds the bound only as far as the needs, or the previous end and 1 ns, require: the bound contains the true time.
///
/// Ranks are replayed side by side, roughly in the order of time; a rank that has to wait is left until it can proceed.
/// When all ranks wait, the earliest collective that any of them waits for is withdrawn: MPI lets a rank leave an
/// Alltoallv before others enter it if they exchange no data, and the messages prove that it did.
/// errors  damaged: all ranks wait for messages of each other.
Result<ForwardResult> replay_forward(RepairTables& tables, const Clocks& clocks);

}  // namespace meridian
