// SPDX-License-Identifier: Apache-2.0
/* Late sender: rank 0 computes before it sends what the last rank has long been waiting for.
 * late_sender [rounds = 25] */
#include "examples/kit/kit.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rounds = argc > 1 ? atoi(argv[1]) : 25;
  int rank, size;
  start(&rank, &size, 2);

  int value = 0, cause = 0;
  for (int round = 0; round < rounds; ++round) {
    if (rank == 0) {
      work_ms(20);
      cause = __LINE__ + 2;
      stamp(round);
      MPI_Send(&value, 1, MPI_INT, size - 1, 0, MPI_COMM_WORLD);
      MPI_Recv(&value, 1, MPI_INT, size - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (rank == size - 1) {
      stamp(round);
      MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    }
  }
  announce("late sender", size - 1, "MPI_Recv", waited(rounds, size - 1, 0), 0, cause);
  MPI_Finalize();
  return 0;
}
