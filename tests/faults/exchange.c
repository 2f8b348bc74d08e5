// SPDX-License-Identifier: Apache-2.0
// exchange N [FILE]: sends N messages to the next rank, prints their sum, and exits with code 4. Rank 0 writes FILE
// after half of the messages.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  int rank, size, got = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int count = argc > 1 ? atoi(argv[1]) : 1000;
  long sum = 0;
  for (int i = 0; i < count; ++i) {
    MPI_Sendrecv(&i, 1, MPI_INT, (rank + 1) % size, 3, &got, 1, MPI_INT, (rank + size - 1) % size, 3, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    sum += got;
    if (i != count / 2) continue;
    FILE* const half = rank == 0 && argc > 2 ? fopen(argv[2], "w") : NULL;
    if (half != NULL) fclose(half);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  printf("rank %d of %d: %ld\n", rank, size, sum);
  fflush(stdout);
  MPI_Finalize();
  return 4;
}
