// SPDX-License-Identifier: Apache-2.0
// Collectives and messages of intercommunicators: even world ranks on one side, odd on the other. Needs two ranks.
#include <stdlib.h>

#include "subject.h"

int main(int argc, char** argv) {
  begin(&argc, &argv);
  if (size < 2) return end("between");
  const int side = rank % 2;
  MPI_Comm half, inter, merged;
  MPI_Comm_split(MPI_COMM_WORLD, side, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - side, 5, &inter);
  int mine = 0, others = 0;
  MPI_Comm_size(half, &mine);
  MPI_Comm_remote_size(inter, &others);
  int in_half = 0;
  MPI_Comm_rank(half, &in_half);

  int value = rank, got = -1;
  int* const many = calloc((size_t)(mine + others) * 2, sizeof(int));
  // Side 0 is the root's side: its rank 0 is the root, its other ranks take no part.
  const int root = side == 1 ? 0 : in_half == 0 ? MPI_ROOT : MPI_PROC_NULL;
  MPI_Barrier(inter);
  MPI_Bcast(&value, 1, MPI_INT, root, inter);
  REQUIRE(side == 0 || value == 0);
  MPI_Gather(&rank, 1, MPI_INT, many, 1, MPI_INT, root, inter);
  REQUIRE(root != MPI_ROOT || many[0] == 1);
  MPI_Scatter(many, 1, MPI_INT, &got, 1, MPI_INT, root, inter);
  REQUIRE(side == 0 || got == rank);
  MPI_Reduce(&rank, &got, 1, MPI_INT, MPI_SUM, root, inter);
  MPI_Allgather(&rank, 1, MPI_INT, many, 1, MPI_INT, inter);
  REQUIRE(many[others - 1] == 2 * (others - 1) + 1 - side);
  MPI_Allreduce(&rank, &got, 1, MPI_INT, MPI_MAX, inter);
  REQUIRE(got == 2 * (others - 1) + 1 - side);
  MPI_Alltoall(many, 1, MPI_INT, many + others, 1, MPI_INT, inter);
  MPI_Request request;
  MPI_Ibarrier(inter, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);

  // Messages: rank i of one side with rank i of the other.
  if (in_half < others) {
    MPI_Status status;
    MPI_Sendrecv(&rank, 1, MPI_INT, in_half, 1, &got, 1, MPI_INT, in_half, 1, inter, &status);
    REQUIRE(status.MPI_SOURCE == in_half && got == 2 * in_half + 1 - side);
  }
  MPI_Intercomm_merge(inter, side, &merged);
  MPI_Allreduce(&rank, &got, 1, MPI_INT, MPI_SUM, merged);
  REQUIRE(got == size * (size - 1) / 2);
  MPI_Comm_free(&merged);
  MPI_Comm_free(&inter);
  MPI_Comm_free(&half);
  free(many);
  return end("between");
}
