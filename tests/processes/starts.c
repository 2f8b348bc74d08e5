// SPDX-License-Identifier: Apache-2.0
// starts COMMAND: rank 0 runs it while all ranks use MPI.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  int rank = 0, one = 1, ranks = 0, code = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0 && argc > 1) code = system(argv[1]);
  MPI_Allreduce(&one, &ranks, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("started, %d, %d ranks\n", code, ranks);
  MPI_Finalize();
  return 0;
}
