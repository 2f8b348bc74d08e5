// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "merger/repair/repair_tables.hpp"
#include "trace/model/result.hpp"

namespace meridian {

struct ForwardResult {
  std::vector<bool> is_chain_moved;  ///< [chains]
  std::uint64_t withdrawn = 0;       ///< collectives that no longer imply an order
};

/// The controlled logical clock. Fills tables.moved: every end of a call in an order in which each follows all it has
/// to, with v = max(x, v_prev + (1 - 1e-3)(x - x_prev), needs + 1), in integers; x is what the clocks say, prev the
/// rank's end before, over all its threads.
///
/// Ranks are replayed side by side in about the order of time; one that waits is left until it can go on. When all
/// wait, the earliest collective among what they wait for is withdrawn: MPI lets a rank leave an Alltoallv before
/// others enter it if nothing is sent between them, and messages have just proved that it did.
/// errors  damaged: all wait for messages of each other.
Result<ForwardResult> replay_forward(RepairTables& tables);

}  // namespace meridian
