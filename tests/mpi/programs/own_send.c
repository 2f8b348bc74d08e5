// SPDX-License-Identifier: Apache-2.0
// A program with an MPI_Send and an MPI_Barrier of its own, as programs have that measure themselves.
#include "subject.h"

static int sends;

int MPI_Send(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  ++sends;
  return PMPI_Send(buf, count, datatype, dest, tag, comm);
}

int MPI_Barrier(MPI_Comm comm) { return PMPI_Barrier(comm); }

int main(int argc, char** argv) {
  begin(&argc, &argv);
  int in = 0;
  for (int i = 0; i < 5; ++i) {
    MPI_Request request;
    MPI_Irecv(&in, 1, MPI_INT, previous, 1, MPI_COMM_WORLD, &request);
    MPI_Send(&rank, 1, MPI_INT, next, 1, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    REQUIRE(in == previous);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Sendrecv(&rank, 1, MPI_INT, next, 2, &in, 1, MPI_INT, previous, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  REQUIRE(sends == 5);
  return end("own_send");
}
