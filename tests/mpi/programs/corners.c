// SPDX-License-Identifier: Apache-2.0
// Nobody as partner, no data, null requests, empty lists, derived datatypes.
#include "subject.h"

int main(int argc, char** argv) {
  begin(&argc, &argv);
  int value = rank, in = -1, flag = 0, index = 0, count = 0, indices[3];
  MPI_Status status, statuses[3];
  MPI_Request request, null[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};

  MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
  MPI_Ssend(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
  MPI_Recv(&in, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &status);
  REQUIRE(status.MPI_SOURCE == MPI_PROC_NULL && in == -1);
  MPI_Isend(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Irecv(&in, 1, MPI_INT, MPI_PROC_NULL, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, &status);
  REQUIRE(in == -1);  // not the status: that of MPICH 4.0.2 is wrong

  MPI_Irecv(NULL, 0, MPI_INT, previous, 1, MPI_COMM_WORLD, &request);
  MPI_Send(NULL, 0, MPI_INT, next, 1, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);

  request = MPI_REQUEST_NULL;
  MPI_Wait(&request, &status);
  REQUIRE(status.MPI_SOURCE == MPI_ANY_SOURCE);
  MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
  REQUIRE(flag == 1);
  MPI_Waitall(3, null, statuses);
  MPI_Waitall(3, null, MPI_STATUSES_IGNORE);
  MPI_Testall(3, null, &flag, MPI_STATUSES_IGNORE);
  REQUIRE(flag == 1);
  MPI_Waitany(3, null, &index, &status);
  REQUIRE(index == MPI_UNDEFINED);
  MPI_Testany(3, null, &index, &flag, MPI_STATUS_IGNORE);
  REQUIRE(index == MPI_UNDEFINED && flag == 1);
  MPI_Waitsome(3, null, &count, indices, MPI_STATUSES_IGNORE);
  REQUIRE(count == MPI_UNDEFINED);
  MPI_Testsome(3, null, &count, indices, statuses);
  REQUIRE(count == MPI_UNDEFINED);
  MPI_Waitall(0, null, MPI_STATUSES_IGNORE);
  MPI_Startall(0, null);
  MPI_Testall(0, null, &flag, MPI_STATUSES_IGNORE);
  REQUIRE(flag == 1);

  // One null between two that complete.
  int two[2] = {-1, -1};
  MPI_Request mixed[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Irecv(&two[0], 1, MPI_INT, previous, 2, MPI_COMM_WORLD, &mixed[0]);
  MPI_Irecv(&two[1], 1, MPI_INT, previous, 3, MPI_COMM_WORLD, &mixed[2]);
  MPI_Send(&value, 1, MPI_INT, next, 2, MPI_COMM_WORLD);
  MPI_Send(&value, 1, MPI_INT, next, 3, MPI_COMM_WORLD);
  MPI_Waitall(3, mixed, statuses);
  REQUIRE(two[0] == previous && two[1] == previous && statuses[2].MPI_TAG == 3);

  // 5 blocks of 2 out of 3 doubles: 80 bytes travel.
  MPI_Datatype vector;
  double out[15] = {0}, taken[10];
  MPI_Type_vector(5, 2, 3, MPI_DOUBLE, &vector);
  MPI_Type_commit(&vector);
  MPI_Irecv(taken, 10, MPI_DOUBLE, previous, 4, MPI_COMM_WORLD, &request);
  MPI_Send(out, 1, vector, next, 4, MPI_COMM_WORLD);
  MPI_Wait(&request, &status);
  MPI_Get_count(&status, MPI_DOUBLE, &count);
  REQUIRE(count == 10);
  MPI_Type_free(&vector);
  return end("corners");
}
