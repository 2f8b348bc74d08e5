// SPDX-License-Identifier: Apache-2.0
// Receives that are cancelled, a request that is freed while active, a request that is asked for its status.
#include "subject.h"

int main(int argc, char** argv) {
  begin(&argc, &argv);
  int in = -1, flag = 0, out = rank;
  MPI_Status status;
  MPI_Request request;
  MPI_Irecv(&in, 1, MPI_INT, previous, 99, MPI_COMM_WORLD, &request);
  MPI_Cancel(&request);
  MPI_Wait(&request, &status);
  MPI_Test_cancelled(&status, &flag);
  REQUIRE(flag == 1);
  MPI_Recv_init(&in, 1, MPI_INT, previous, 98, MPI_COMM_WORLD, &request);
  for (int i = 0; i < 2; ++i) {
    MPI_Start(&request);
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Request_free(&request);
  MPI_Barrier(MPI_COMM_WORLD);
  // The same tag again: the cancelled ones must not take part in the matching.
  MPI_Irecv(&in, 1, MPI_INT, previous, 99, MPI_COMM_WORLD, &request);
  MPI_Request sent;
  MPI_Isend(&out, 1, MPI_INT, next, 99, MPI_COMM_WORLD, &sent);
  MPI_Request_free(&sent);
  for (flag = 0; !flag;) MPI_Request_get_status(request, &flag, &status);
  REQUIRE(in == previous && request != MPI_REQUEST_NULL && status.MPI_SOURCE == previous);
  MPI_Wait(&request, &status);
  REQUIRE(status.MPI_SOURCE == previous);
  MPI_Barrier(MPI_COMM_WORLD);
  return end("cancel");
}
