// SPDX-License-Identifier: Apache-2.0
/* A pipeline of one item at a time: a rank computes when the rank before it has finished, and the first one when the last
 * has.
 * pipeline [rounds = 25] */
#include "examples/kit/kit.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rounds = argc > 1 ? atoi(argv[1]) : 25;
  int rank, size;
  start(&rank, &size, 2);

  int item = 0, cause = 0;
  const int before = (rank + size - 1) % size, after = (rank + 1) % size;
  for (int round = 0; round < rounds; ++round) {
    if (rank > 0) MPI_Recv(&item, 1, MPI_INT, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    work_ms(10);
    cause = __LINE__ + 1;
    MPI_Send(&item, 1, MPI_INT, after, 0, MPI_COMM_WORLD);
    if (rank == 0) MPI_Recv(&item, 1, MPI_INT, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  announce("late sender", -1, "MPI_Recv", 0, -1, cause);
  MPI_Finalize();
  return 0;
}
