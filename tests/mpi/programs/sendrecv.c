// SPDX-License-Identifier: Apache-2.0
// Sendrecv and Sendrecv_replace: around a ring, to MPI_PROC_NULL, without data, with wildcards.
#include "subject.h"

int main(int argc, char** argv) {
  begin(&argc, &argv);
  int out = rank, in = -1;
  MPI_Status status;
  MPI_Sendrecv(&out, 1, MPI_INT, next, 1, &in, 1, MPI_INT, previous, 1, MPI_COMM_WORLD, &status);
  REQUIRE(in == previous && status.MPI_SOURCE == previous && status.MPI_TAG == 1);
  MPI_Sendrecv(&out, 1, MPI_INT, next, 2, &in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Sendrecv(&out, 0, MPI_INT, next, 3, &in, 1, MPI_INT, previous, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv_replace(&out, 1, MPI_INT, next, 4, previous, 4, MPI_COMM_WORLD, &status);
  REQUIRE(out == previous && status.MPI_SOURCE == previous);
  MPI_Sendrecv_replace(&out, 1, MPI_INT, next, 5, previous, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  // An open chain: its ends have MPI_PROC_NULL as neighbour.
  const int left = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  const int right = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
  MPI_Sendrecv(&rank, 1, MPI_INT, right, 6, &in, 1, MPI_INT, left, 6, MPI_COMM_WORLD, &status);
  REQUIRE(status.MPI_SOURCE == left && (left == MPI_PROC_NULL || in == left));
#if MPI_VERSION >= 4
  MPI_Request request;
  MPI_Isendrecv(&rank, 1, MPI_INT, next, 7, &in, 1, MPI_INT, previous, 7, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  REQUIRE(in == previous);
  in = rank;
  MPI_Isendrecv_replace(&in, 1, MPI_INT, next, 8, previous, 8, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  REQUIRE(in == previous);
#endif
  return end("sendrecv");
}
