// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace meridian {

/// Says, once a job that `meridian run` started, where the trace is. For rank 0; after MPI_Finalize, or at the end.
void tell_trace() noexcept;

/// Says, once a job, that there is no trace, and the reason if this process knows it. For the end of a process in which the
/// tracer saw no MPI_Init.
void tell_no_trace() noexcept;

/// Says that each process is an MPI job of its own, if the launcher has started several of them. size: of this job.
void tell_wrong_launcher(int size) noexcept;

}  // namespace meridian
