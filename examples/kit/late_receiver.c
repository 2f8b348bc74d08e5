// SPDX-License-Identifier: Apache-2.0
/* Late receiver: rank 0 sends synchronously to the last rank, which computes before it receives.
 * late_receiver [rounds = 25] */
#include "examples/kit/kit.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rounds = argc > 1 ? atoi(argv[1]) : 25;
  int rank, size;
  start(&rank, &size, 2);

  int value = 0;
  for (int round = 0; round < rounds; ++round) {
    if (rank == 0) {
      stamp(round);
      MPI_Ssend(&value, 1, MPI_INT, size - 1, 0, MPI_COMM_WORLD);
    } else if (rank == size - 1) {
      work_ms(20);
      stamp(round);
      MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
  const int cause = __LINE__ - 3;
  announce("late receiver", 0, "MPI_Ssend", waited(rounds, 0, size - 1), size - 1, cause);
  MPI_Finalize();
  return 0;
}
