#pragma once

namespace meridian {

/// Round trips between the first ranks of the clock domains. Collective over MPI_COMM_WORLD; costs one Allgather of
/// 8 bytes a rank where all ranks share one clock.
void start_clock_exchange(int rank, int size) noexcept;

/// The same at the end, bounded in time: a rank that has died blocks nobody.
void finish_clock_exchange() noexcept;

}  // namespace meridian
