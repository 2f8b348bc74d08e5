// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "pmpi/clocks/pings.hpp"

namespace meridian {

/// Round trips between the first ranks of the clock domains, the pairs of schedule.hpp. Collective over
/// `all_ranks`, with the ranks that do not record (their domain is 0); costs one Allreduce of 24 bytes where all
/// ranks share one clock.
void start_clock_exchange(MPI_Comm all_ranks, int rank, int size, std::uint64_t domain) noexcept;

/// The same at the end, bounded in time: a rank that has died blocks nobody. Collective as above.
void finish_clock_exchange() noexcept;

/// Between the two: round trips behind collectives (epochs.hpp), in the pairs of `table`, at the points of
/// `grid`, which must both last.
void start_epochs(const PingTable& table, EpochGrid& grid, int world_size) noexcept;
void stop_epochs() noexcept;

}  // namespace meridian
