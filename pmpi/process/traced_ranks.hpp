// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which ranks of MPI_COMM_WORLD are traced: the ranks that have the tracer and that MERIDIAN_RANKS lists. The launcher may have
// started some ranks without it (`mpirun -n 1 meridian run a : -n 2 a`). These know nothing of the tracer's collective calls.
//
// A process of the launcher's job that has the tracer joins the census of its host before MPI_Init. MPI_Init returns after all
// ranks have entered it, so the census is complete then, and the same for all ranks of the host.

#include <cstdint>

namespace meridian {

/// Before MPI_Init. Binds a datagram socket with a name in Linux's abstract namespace, which ends with the process.
/// Does nothing where the launcher gives the job no name. False: the other ranks will take this one for untraced.
bool join_census() noexcept;

/// After MPI_Init of a world of `size` ranks. True: only a part of this host's ranks has the tracer, and listed_ranks() are those.
/// On several hosts, ranks of other hosts are then taken for untraced, because nothing is known about them.
bool take_census(int size) noexcept;
/// The ranks of this host that have the tracer, ascending, after take_census() has returned true.
const std::int32_t* listed_ranks(int& count) noexcept;

/// Once all ranks have taken it.
void leave_census() noexcept;

/// Whether a rank of MPI_COMM_WORLD is traced, as far as the census and MERIDIAN_RANKS tell.
bool is_traced_rank(std::int32_t rank) noexcept;

}  // namespace meridian
