// SPDX-License-Identifier: Apache-2.0
/* A pipeline whose first stage is slow: each rank waits for the one before it, and all of them in the end for rank 0.
 * slow_stage [rounds = 25] */
#include "examples/kit/kit.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rounds = argc > 1 ? atoi(argv[1]) : 25;
  int rank, size;
  start(&rank, &size, 2);

  int item = 0, cause = 0;
  for (int round = 0; round < rounds; ++round) {
    if (rank > 0) MPI_Recv(&item, 1, MPI_INT, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    work_ms(rank == 0 ? 20 : 2);
    cause = __LINE__ + 1;
    if (rank < size - 1) MPI_Send(&item, 1, MPI_INT, rank + 1, 0, MPI_COMM_WORLD);
  }
  announce("late sender", -1, "MPI_Recv", 0, 0, cause);
  MPI_Finalize();
  return 0;
}
