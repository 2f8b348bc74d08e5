// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pmpi/clocks/traced_peers.hpp"

namespace meridian {

/// After MPI_Init: the processes of `all` that have the tracer. Collective over these only. `comm` is MPI_COMM_NULL where MPI could
/// make no communicator for them.
TracedPeers find_peers(MPI_Comm all) noexcept;

/// Records the ranks that have the tracer, where some do not.
void store_traced_ranks() noexcept;

}  // namespace meridian
