// SPDX-License-Identifier: Apache-2.0
/* Late complete: the last rank waits for the end of an epoch in which rank 0 writes early, computes, and completes late.
 * late_access [rounds = 25] */
#include "examples/kit/kit.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rounds = argc > 1 ? atoi(argv[1]) : 25;
  int rank, size;
  start(&rank, &size, 2);

  int value = 1, *memory;
  MPI_Win window;
  MPI_Win_allocate(sizeof value, sizeof value, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  MPI_Group world, other;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  const int partner = rank == 0 ? size - 1 : 0;
  MPI_Group_incl(world, 1, &partner, &other);
  for (int round = 0; round < rounds; ++round) {
    if (rank == 0) {
      MPI_Win_start(other, 0, window);
      MPI_Put(&value, 1, MPI_INT, size - 1, 0, 1, MPI_INT, window);
      MPI_Barrier(MPI_COMM_WORLD);
      work_ms(20);
      stamp(round);
      MPI_Win_complete(window);
    } else if (rank == size - 1) {
      MPI_Win_post(other, 0, window);
      MPI_Barrier(MPI_COMM_WORLD);
      stamp(round);
      MPI_Win_wait(window);
    } else {
      MPI_Barrier(MPI_COMM_WORLD);
    }
  }
  const int cause = __LINE__ - 10;
  announce("late complete", size - 1, "MPI_Win_wait", waited(rounds, size - 1, 0), 0, cause);
  MPI_Group_free(&other);
  MPI_Group_free(&world);
  MPI_Win_free(&window);
  MPI_Finalize();
  return 0;
}
