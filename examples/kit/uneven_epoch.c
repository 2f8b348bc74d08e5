// SPDX-License-Identifier: Apache-2.0
/* Imbalance in one-sided communication: the last rank works longer, and all others wait for it in MPI_Win_fence. Nothing in the
 * trace matches these calls, so the wait is concluded from the imbalance; it is no slow transfer.
 * uneven_epoch [rounds = 25] */
#include "examples/kit/kit.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rounds = argc > 1 ? atoi(argv[1]) : 25;
  int rank, size;
  double* values;
  MPI_Win window;
  MPI_Win_allocate(sizeof *values, sizeof *values, MPI_INFO_NULL, MPI_COMM_WORLD, &values, &window);
  start(&rank, &size, 2);

  const double value = rank;
  MPI_Win_fence(0, window);
  for (int round = 0; round < rounds; ++round) {
    work_ms(rank == size - 1 ? 22 : 2);
    MPI_Put(&value, 1, MPI_DOUBLE, (rank + 1) % size, 0, 1, MPI_DOUBLE, window);
    MPI_Win_fence(0, window);
  }
  const int cause = __LINE__ - 2;
  announce("imbalance", -1, "MPI_Win_fence", 0, size - 1, cause);
  MPI_Win_free(&window);
  MPI_Finalize();
  return 0;
}
