#pragma once

#include "pmpi/record_coll.hpp"

namespace meridian {

/// Records MPI_COMM_WORLD and MPI_COMM_SELF; until then no communicator can be described.
void store_predefined_comms() noexcept;

}  // namespace meridian
