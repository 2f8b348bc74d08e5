// SPDX-License-Identifier: Apache-2.0
/* Imbalance: the last rank has three times the work of each other rank, and all meet at a barrier.
 * imbalance [rounds = 25] */
#include "examples/kit/kit.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rounds = argc > 1 ? atoi(argv[1]) : 25;
  int rank, size;
  start(&rank, &size, 2);

  for (int round = 0; round < rounds; ++round) {
    work_ms(rank == size - 1 ? 30 : 10);
    stamp(round);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  const int cause = __LINE__ - 2;
  announce("wait at barrier", -1, "MPI_Barrier", waited(rounds, -1, -1), size - 1, cause);
  MPI_Finalize();
  return 0;
}
