// SPDX-License-Identifier: Apache-2.0
/* Late receiver of a request: rank 0 starts synchronous sends, new and persistent ones in turn, and waits for their ends; the
 * last rank computes before it receives.
 * late_completion [rounds = 25] */
#include "examples/kit/kit.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rounds = argc > 1 ? atoi(argv[1]) : 25;
  int rank, size;
  start(&rank, &size, 2);

  int value = 0;
  MPI_Request once, again;
  MPI_Ssend_init(&value, 1, MPI_INT, size - 1, 0, MPI_COMM_WORLD, &again);
  for (int round = 0; round < rounds; ++round) {
    if (rank == 0) {
      if (round % 2 == 0)
        MPI_Issend(&value, 1, MPI_INT, size - 1, 0, MPI_COMM_WORLD, &once);
      else
        MPI_Start(&again);
      stamp(round);
      MPI_Wait(round % 2 == 0 ? &once : &again, MPI_STATUS_IGNORE);
    } else if (rank == size - 1) {
      work_ms(20);
      stamp(round);
      MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
  const int cause = __LINE__ - 3;
  MPI_Request_free(&again);
  announce("late receiver", 0, "MPI_Wait", waited(rounds, 0, size - 1), size - 1, cause);
  MPI_Finalize();
  return 0;
}
