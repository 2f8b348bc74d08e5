// SPDX-License-Identifier: Apache-2.0
// Calls of every kind that a tracer made for an older MPI library does not wrap; check_unwrapped.py takes the wrappers
// away. MPI_Bsend is imported and never called.
#include "subject.h"

int main(int argc, char** argv) {
  begin(&argc, &argv);
  int in = 0;
  int sum = 0;
  for (int i = 0; i < 5; ++i) {
    MPI_Request requests[2];
    MPI_Status statuses[2];
    MPI_Irecv(&in, 1, MPI_INT, previous, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Issend(&rank, 1, MPI_INT, next, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, statuses);
    REQUIRE(in == previous);
    MPI_Sendrecv(&rank, 1, MPI_INT, next, 3, &in, 1, MPI_INT, previous, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Exscan(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Comm twin;
  MPI_Comm_dup(MPI_COMM_WORLD, &twin);
  MPI_Barrier(twin);
  MPI_Comm_free(&twin);
  if (argc > 7) MPI_Bsend(&rank, 1, MPI_INT, next, 1, MPI_COMM_WORLD);
  return end("unwrapped");
}
