// SPDX-License-Identifier: Apache-2.0
// Only a session: MPI_COMM_WORLD is never made. One after the other would be right as well, but ends MPICH 4.0.2.
#include "subject.h"

static MPI_Comm make(MPI_Session session, const char* processes) {
  MPI_Group group;
  MPI_Comm comm;
  MPI_Group_from_session_pset(session, processes, &group);
  MPI_Comm_create_from_group(group, "meridian.sessions", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
  MPI_Group_free(&group);
  return comm;
}

int main(void) {
  MPI_Session session;
  int got = -1, sum = 0;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  MPI_Comm self = make(session, "mpi://SELF");
  MPI_Comm all = make(session, "mpi://WORLD");
  MPI_Comm_rank(all, &rank);
  MPI_Comm_size(all, &size);
  MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 0, &got, 1, MPI_INT, (rank + size - 1) % size, 0, all,
               MPI_STATUS_IGNORE);
  REQUIRE(got == (rank + size - 1) % size);
  MPI_Sendrecv(&rank, 1, MPI_INT, 0, 1, &got, 1, MPI_INT, 0, 1, self, MPI_STATUS_IGNORE);
  REQUIRE(got == rank);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, all);
  REQUIRE(sum == size * (size - 1) / 2);
  MPI_Comm_free(&all);
  MPI_Comm_free(&self);
  MPI_Session_finalize(&session);
  if (rank == 0) printf("sessions on %d ranks: done\n", size);
  return 0;
}
