// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

namespace meridian {

/// What the tracer's own collective calls use: MPI_COMM_WORLD, or in a program that has sessions alone the first
/// communicator that it made of all processes. A null handle until there is one.
extern MPI_Comm g_all_ranks;

/// Records MPI_COMM_WORLD and MPI_COMM_SELF; until then no communicator can be described.
void store_predefined_comms() noexcept;

#if MPI_VERSION >= 4
/// The same from a session's process set, for programs that never make MPI_COMM_WORLD. Local. `begin`: what happens
/// once there is a communicator of all processes.
void begin_session(MPI_Session session, void (*begin)() noexcept) noexcept;
/// Before the session ends: gives back what was taken from it. True: it was the last one of a program that has sessions
/// alone.
bool leave_session() noexcept;
#endif

}  // namespace meridian
