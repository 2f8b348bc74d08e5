// SPDX-License-Identifier: Apache-2.0
/* From the middle of the run on the last rank needs twice as long for an iteration.
 * slow_iteration [rounds = 50] */
#include "examples/kit/kit.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rounds = argc > 1 ? atoi(argv[1]) : 50;
  int rank, size;
  start(&rank, &size, 2);

  double residual = 1, sum = 0;
  for (int round = 0; round < rounds; ++round) {
    work_ms(rank == size - 1 && round >= rounds / 2 ? 20 : 10);
    stamp(round);
    MPI_Allreduce(&residual, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  const int cause = __LINE__ - 2;
  announce("wait at N x N", -1, "MPI_Allreduce", waited(rounds, -1, -1), size - 1, cause);
  MPI_Finalize();
  return 0;
}
