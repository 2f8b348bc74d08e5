// SPDX-License-Identifier: Apache-2.0
/* N x 1: the root has nothing to do and waits in MPI_Reduce for all others.
 * early_reduce [rounds = 25] */
#include "examples/kit/kit.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rounds = argc > 1 ? atoi(argv[1]) : 25;
  int rank, size;
  start(&rank, &size, 2);

  double value = 1, sum = 0;
  for (int round = 0; round < rounds; ++round) {
    if (rank != 0) work_ms(20);
    stamp(round);
    MPI_Reduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  }
  const int cause = __LINE__ - 2;
  announce("early reduce", 0, "MPI_Reduce", waited(rounds, 0, -1), -1, cause);
  MPI_Finalize();
  return 0;
}
