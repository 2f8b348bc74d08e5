// SPDX-License-Identifier: Apache-2.0
/* Imbalance in one-sided communication: the last rank computes longer, and all others wait for it in MPI_Win_fence.
 * uneven_epoch [rounds = 25] */
#include "examples/kit/kit.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rounds = argc > 1 ? atoi(argv[1]) : 25;
  int rank, size;
  start(&rank, &size, 2);

  int value = 1, *memory;
  MPI_Win window;
  MPI_Win_allocate(sizeof value, sizeof value, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  MPI_Win_fence(0, window);
  for (int round = 0; round < rounds; ++round) {
    if (rank == 0) MPI_Put(&value, 1, MPI_INT, size - 1, 0, 1, MPI_INT, window);
    if (rank == size - 1) work_ms(20);
    stamp(round);
    MPI_Win_fence(0, window);
  }
  const int cause = __LINE__ - 2;
  announce("wait at fence", -1, "MPI_Win_fence", waited(rounds, -1, size - 1), size - 1, cause);
  MPI_Win_free(&window);
  MPI_Finalize();
  return 0;
}
