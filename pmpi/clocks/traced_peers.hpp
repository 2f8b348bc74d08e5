// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

namespace meridian {

/// The processes that have the tracer, and take part in its collective calls.
struct TracedPeers {
  MPI_Comm comm{};
  int rank = 0;  ///< of this process in `comm`
  int size = 1;
  int world_rank = 0;  ///< of this process among all processes, with the tracer or without it
  int world_size = 1;
};

}  // namespace meridian
