// SPDX-License-Identifier: Apache-2.0
// Probe and Iprobe before a receive; Mprobe, Improbe, Mrecv, Imrecv; with MPI_PROC_NULL.
#include "subject.h"

static void send(int tag, MPI_Request* request) { MPI_Isend(&rank, 1, MPI_INT, next, tag, MPI_COMM_WORLD, request); }

int main(int argc, char** argv) {
  begin(&argc, &argv);
  int in = -1, flag = 0;
  MPI_Status status;
  MPI_Message message;
  MPI_Request request, received;

  send(1, &request);
  MPI_Probe(previous, 1, MPI_COMM_WORLD, &status);
  REQUIRE(status.MPI_SOURCE == previous);
  MPI_Recv(&in, 1, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);

  send(2, &request);
  MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);

  send(3, &request);
  for (flag = 0; !flag;) MPI_Iprobe(previous, 3, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
  MPI_Recv(&in, 1, MPI_INT, previous, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);

  // A matched message is taken out of the way of later receives.
  MPI_Request two[2];
  send(4, &two[0]);
  MPI_Mprobe(previous, 4, MPI_COMM_WORLD, &message, &status);
  send(4, &two[1]);
  MPI_Recv(&in, 1, MPI_INT, previous, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Mrecv(&in, 1, MPI_INT, &message, &status);
  REQUIRE(message == MPI_MESSAGE_NULL && in == previous && status.MPI_TAG == 4);
  MPI_Waitall(2, two, MPI_STATUSES_IGNORE);

  send(5, &request);
  for (flag = 0; !flag;) MPI_Improbe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE);
  MPI_Imrecv(&in, 1, MPI_INT, &message, &received);
  MPI_Wait(&received, &status);
  REQUIRE(status.MPI_SOURCE == previous && in == previous);
  MPI_Wait(&request, MPI_STATUS_IGNORE);

  MPI_Probe(MPI_PROC_NULL, 1, MPI_COMM_WORLD, &status);
  REQUIRE(status.MPI_SOURCE == MPI_PROC_NULL);
  MPI_Iprobe(MPI_PROC_NULL, 1, MPI_COMM_WORLD, &flag, &status);
  REQUIRE(flag);
  MPI_Mprobe(MPI_PROC_NULL, 1, MPI_COMM_WORLD, &message, &status);
  REQUIRE(message == MPI_MESSAGE_NO_PROC);
  MPI_Mrecv(&in, 1, MPI_INT, &message, &status);
  REQUIRE(status.MPI_SOURCE == MPI_PROC_NULL);
  MPI_Improbe(MPI_PROC_NULL, 1, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE);
  MPI_Imrecv(&in, 1, MPI_INT, &message, &received);
  MPI_Wait(&received, MPI_STATUS_IGNORE);
  return end("probe");
}
