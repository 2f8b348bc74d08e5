// SPDX-License-Identifier: Apache-2.0
/* 1 x N: the root prepares what it broadcasts while all others wait.
 * late_broadcast [rounds = 25] */
#include "examples/kit/kit.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rounds = argc > 1 ? atoi(argv[1]) : 25;
  int rank, size;
  start(&rank, &size, 2);

  int parameters[4] = {0};
  for (int round = 0; round < rounds; ++round) {
    if (rank == 0) work_ms(20);
    stamp(round);
    MPI_Bcast(parameters, 4, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  const int cause = __LINE__ - 3;
  announce("late broadcast", -1, "MPI_Bcast", waited(rounds, -1, 0), 0, cause);
  MPI_Finalize();
  return 0;
}
