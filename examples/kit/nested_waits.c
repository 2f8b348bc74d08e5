// SPDX-License-Identifier: Apache-2.0
/* Rank 0 is late, so rank 1 waits for its message, so all others wait at the barrier for rank 1: rank 0 is the cause of all.
 * nested_waits [rounds = 25] */
#include "examples/kit/kit.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rounds = argc > 1 ? atoi(argv[1]) : 25;
  int rank, size;
  start(&rank, &size, 3);

  int value = 0;
  for (int round = 0; round < rounds; ++round) {
    if (rank == 0) {
      work_ms(20);
      MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else if (rank == 1) {
      MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      work_ms(5);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  const int cause = __LINE__ - 2;
  announce("wait at barrier", -1, "MPI_Barrier", 0, 0, cause);
  MPI_Finalize();
  return 0;
}
