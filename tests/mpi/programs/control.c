// SPDX-License-Identifier: Apache-2.0
// MPI_Pcontrol: 0 stops recording, 1 starts it again. Objects created while it is stopped are used afterwards: a communicator,
// requests.
#include "subject.h"

int main(int argc, char** argv) {
  begin(&argc, &argv);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Pcontrol(0);
  int got = 0;
  for (int i = 0; i < 5; ++i) MPI_Allreduce(&rank, &got, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Comm comm;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm);  // reversed order
  MPI_Comm_set_name(comm, "made unseen");
  MPI_Request requests[2];
  int found = -1, passed = -1;
  MPI_Irecv(&found, 1, MPI_INT, previous, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(&rank, 1, MPI_INT, next, 1, MPI_COMM_WORLD, &requests[1]);
  MPI_Pcontrol(1);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  REQUIRE(found == previous);
  const int dest = size - 1 - previous, source = size - 1 - next;
  MPI_Sendrecv(&rank, 1, MPI_INT, dest, 2, &passed, 1, MPI_INT, source, 2, comm, MPI_STATUS_IGNORE);
  REQUIRE(passed == next);
  MPI_Barrier(comm);
  MPI_Pcontrol(0);
  MPI_Comm_free(&comm);
  MPI_Pcontrol(1);
  MPI_Barrier(MPI_COMM_WORLD);
  return end("control");
}
