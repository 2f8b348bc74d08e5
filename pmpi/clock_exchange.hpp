#pragma once

#include "pmpi/clock_pings.hpp"

namespace meridian {

/// Round trips between the first ranks of the clock domains, the pairs of clock_schedule.hpp. Collective over
/// MPI_COMM_WORLD; costs one Allgather of 8 bytes a rank where all ranks share one clock.
void start_clock_exchange(int rank, int size) noexcept;

/// The same at the end, bounded in time: a rank that has died blocks nobody.
void finish_clock_exchange() noexcept;

/// Between the two: round trips behind collectives (clock_epochs.hpp), in the pairs of `table`, at the points of
/// `grid`, which must both last.
void start_epochs(const PingTable& table, EpochGrid& grid, int world_size) noexcept;
void stop_epochs() noexcept;

}  // namespace meridian
