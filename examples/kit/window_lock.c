// SPDX-License-Identifier: Apache-2.0
/* Window lock: the last rank keeps the exclusive lock of its window while it computes, and rank 0 needs the lock. Whether
 * MPI_Win_lock or MPI_Win_unlock waits depends on the library.
 * window_lock [rounds = 25] */
#include "examples/kit/kit.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rounds = argc > 1 ? atoi(argv[1]) : 25;
  int rank, size;
  start(&rank, &size, 2);

  int value = 1, *memory;
  MPI_Win window;
  MPI_Win_allocate(sizeof value, sizeof value, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  const int target = size - 1;
  for (int round = 0; round < rounds; ++round) {
    if (rank == target) {
      MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, window);
      MPI_Put(&value, 1, MPI_INT, target, 0, 1, MPI_INT, window);
      MPI_Win_flush(target, window);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == target) {
      work_ms(20);
      stamp(round);
      MPI_Win_unlock(target, window);
    } else if (rank == 0) {
      stamp(round);
      MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, window);
      MPI_Put(&value, 1, MPI_INT, target, 0, 1, MPI_INT, window);
      MPI_Win_unlock(target, window);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  const int cause = __LINE__ - 9;
  announce("window lock", 0, "none", waited(rounds, 0, target), target, cause);
  MPI_Win_free(&window);
  MPI_Finalize();
  return 0;
}
