// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is known from the launcher's environment variables, before MPI_Init.

namespace meridian {

/// Rank in MPI_COMM_WORLD according to the launcher of Open MPI, MPICH or Slurm; -1 if unknown.
int launched_rank() noexcept;

/// Identifier of the job, the same for all its ranks; empty when the launcher gives none. Static storage.
const char* launched_job() noexcept;

}  // namespace meridian
