// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the tracer of a parent process handed down to the processes that MPI_Comm_spawn started. Cold.

#include <cstddef>

#include "trace/ring/ring_layout.hpp"

namespace meridian {

/// What the tracer of the parents handed down.
struct Heritage {
  char token[20] = {};              ///< empty: nothing
  char directory[kPathBytes] = {};  ///< for this world's trace
};
/// From the environment. The caller checks that this process really has parents: the variable also reaches
/// grandchildren that were started by other means.
void read_heritage(Heritage& heritage) noexcept;

/// "<directory of the whole trace>/spawned.conf" as the parents named it; false: there are no parents that are traced.
bool find_spawned_config(char* path, std::size_t room) noexcept;

}  // namespace meridian
