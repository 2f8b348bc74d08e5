// SPDX-License-Identifier: Apache-2.0
#pragma once

// Data that the tracer of a parent process passed to the processes that MPI_Comm_spawn started. Cold.

#include <cstddef>

#include "trace/ring/ring_layout.hpp"

namespace meridian {

/// The data from the parents' tracer.
struct Heritage {
  char token[20] = {};              ///< empty: none
  char directory[kPathBytes] = {};  ///< for this world's trace
};
/// Reads it from the environment. The caller checks that this process really has parents: the variable also reaches
/// grandchildren that were started by other means.
void read_heritage(Heritage& heritage) noexcept;

/// "<directory of the whole trace>/spawned.conf" of the parents; false: there are no traced parents.
bool find_spawned_config(char* path, std::size_t room) noexcept;

}  // namespace meridian
