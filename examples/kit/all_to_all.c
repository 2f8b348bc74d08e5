// SPDX-License-Identifier: Apache-2.0
/* N x N: the last rank is late for each MPI_Allreduce, in which every rank needs its number.
 * all_to_all [rounds = 25] */
#include "examples/kit/kit.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rounds = argc > 1 ? atoi(argv[1]) : 25;
  int rank, size;
  start(&rank, &size, 2);

  double residual = 1, sum = 0;
  for (int round = 0; round < rounds; ++round) {
    work_ms(rank == size - 1 ? 25 : 5);
    stamp(round);
    MPI_Allreduce(&residual, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  const int cause = __LINE__ - 2;
  announce("wait at N x N", -1, "MPI_Allreduce", waited(rounds, -1, -1), size - 1, cause);
  MPI_Finalize();
  return 0;
}
