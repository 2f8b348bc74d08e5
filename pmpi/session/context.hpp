// SPDX-License-Identifier: Apache-2.0
#pragma once

// The context of a trace: program, machine, environment. Cold.

namespace meridian {

/// Stores the data about this process that are known after MPI_Init.
void store_context() noexcept;

/// Stores the processors that this process may run on: "0-3,8". The program may change them during the run.
void store_binding() noexcept;

}  // namespace meridian
