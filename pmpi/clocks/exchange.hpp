// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "pmpi/clocks/pings.hpp"
#include "pmpi/clocks/traced_peers.hpp"

namespace meridian {

/// Ping-pong exchanges between the first ranks of the clock domains, in the pairs of schedule.hpp. Collective over
/// `all_ranks`, including ranks that do not record (their domain is 0); costs one Allreduce of 24 bytes if all ranks
/// share one clock.
void start_clock_exchange(const TracedPeers& peers, std::uint64_t domain) noexcept;

/// The same at the end, bounded in time: a rank that has died blocks no other. Collective as above.
void finish_clock_exchange() noexcept;

/// In between: exchanges after collectives (epochs.hpp), in the pairs of `table`, at the points of `grid`. Both must
/// outlive the epochs.
void start_epochs(const PingTable& table, EpochGrid& grid, int world_size) noexcept;
void stop_epochs() noexcept;

}  // namespace meridian
