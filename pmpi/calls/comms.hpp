// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mpi_has.h"

namespace meridian {

/// The communicator for the tracer's own collective calls: MPI_COMM_WORLD or, in a program that uses only sessions, the
/// first communicator of all processes. MPI_COMM_NULL until there is one.
extern MPI_Comm g_all_ranks;

/// Records MPI_COMM_WORLD and MPI_COMM_SELF; before that no communicator can be described.
void store_predefined_comms() noexcept;

#if MERIDIAN_HAS_Session_init
/// The same from a session's process set, for programs that never use MPI_COMM_WORLD. Local. `begin` is called as soon
/// as a communicator of all processes exists.
void begin_session(MPI_Session session, void (*begin)() noexcept) noexcept;
/// Releases a session's resources before it ends. True: it was the last session of a program that uses only sessions.
bool leave_session() noexcept;
#endif

}  // namespace meridian
