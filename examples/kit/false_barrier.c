// SPDX-License-Identifier: Apache-2.0
/* A barrier that nobody needs: in each round another rank has more to do. All have the same work in sum, and without the
 * barrier nobody would wait.
 * false_barrier [rounds = 24] */
#include "examples/kit/kit.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rounds = argc > 1 ? atoi(argv[1]) : 24;
  int rank, size;
  start(&rank, &size, 2);

  for (int round = 0; round < rounds; ++round) {
    work_ms(round % size == rank ? 30 : 10);
    stamp(round);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  const int cause = __LINE__ - 2;
  announce("wait at barrier", -1, "MPI_Barrier", waited(rounds, -1, -1), -1, cause);
  MPI_Finalize();
  return 0;
}
