#pragma once

// What the launcher tells a process through its environment, before MPI_Init.

namespace meridian {

/// Rank in MPI_COMM_WORLD as Open MPI's, MPICH's or Slurm's launcher states it; -1 when none does.
int launched_rank() noexcept;

/// Identifier of the job, the same for all its ranks; empty when the launcher gives none. Static storage.
const char* launched_job() noexcept;

}  // namespace meridian
