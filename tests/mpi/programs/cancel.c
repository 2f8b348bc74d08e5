// SPDX-License-Identifier: Apache-2.0
// Receives that are cancelled, a request that is freed while active, requests that are asked for their
// status and then completed or freed.
#include "subject.h"

int main(int argc, char** argv) {
  begin(&argc, &argv);
  int in = -1, flag = 0, out = rank;
  MPI_Status status;
  MPI_Request request, parts[3];
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
  // A receive that was seen to be complete is freed; messages after it are longer.
  int many[8], out_values[3] = {0}, two = 0, three = 0;
  MPI_Irecv(many, 8, MPI_INT, MPI_ANY_SOURCE, 97, MPI_COMM_WORLD, &request);
  for (int i = 1; i <= 3; ++i) MPI_Isend(out_values, i, MPI_INT, next, 97, MPI_COMM_WORLD, &parts[i - 1]);
  for (flag = 0; !flag;) MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
  MPI_Request_free(&request);
  MPI_Recv(many, 8, MPI_INT, previous, 97, MPI_COMM_WORLD, &status);
  MPI_Get_count(&status, MPI_INT, &two);
  MPI_Recv(many, 8, MPI_INT, previous, 97, MPI_COMM_WORLD, &status);
  MPI_Get_count(&status, MPI_INT, &three);
  REQUIRE(two == 2 && three == 3);
  MPI_Waitall(3, parts, MPI_STATUSES_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  return end("cancel");
}
