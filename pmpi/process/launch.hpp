// SPDX-License-Identifier: Apache-2.0
#pragma once

// Data from the launcher's environment variables, available before MPI_Init.

namespace meridian {

/// Rank in MPI_COMM_WORLD according to the launcher of Open MPI, MPICH or Slurm; -1 if unknown.
int launched_rank() noexcept;

/// Number of processes in the launcher's job; -1: unknown.
int launched_size() noexcept;

/// Number of processes of the launcher's job on this host; -1: unknown.
int launched_local_size() noexcept;

/// Whether the launcher itself has started this process, not a program of the rank. AS-safe.
bool is_first_of_rank() noexcept;

/// Identifier of the job, the same for all its ranks; empty if the launcher provides none. Static storage.
const char* launched_job() noexcept;

}  // namespace meridian
