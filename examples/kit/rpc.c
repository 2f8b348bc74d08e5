// SPDX-License-Identifier: Apache-2.0
/* Remote procedure calls: rank 0 serves one request at a time, so the others wait for their turn.
 * rpc [rounds = 50] */
#include "examples/kit/kit.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rounds = argc > 1 ? atoi(argv[1]) : 50;
  int rank, size;
  start(&rank, &size, 2);

  int request = 0, answer = 0, cause = 0;
  if (rank == 0) {
    for (int served = 0; served < rounds * (size - 1); ++served) {
      MPI_Status from;
      MPI_Recv(&request, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &from);
      work_ms(10);
      cause = __LINE__ + 1;
      MPI_Send(&answer, 1, MPI_INT, from.MPI_SOURCE, 1, MPI_COMM_WORLD);
    }
  } else {
    for (int round = 0; round < rounds; ++round) {
      MPI_Send(&request, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
      MPI_Recv(&answer, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
  announce("late sender", -1, "MPI_Recv", 0, 0, cause);
  MPI_Finalize();
  return 0;
}
