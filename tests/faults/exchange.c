// SPDX-License-Identifier: Apache-2.0
// exchange N [FILE [GO]]: sends N messages, every 32nd to the next rank and the others to itself, prints their sum, and
// exits with code 4. Rank 0 writes FILE after half of the messages, and goes on when GO exists.
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char** argv) {
  int rank, size, got = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int count = argc > 1 ? atoi(argv[1]) : 1000;
  long sum = 0;
  for (int i = 0; i < count; ++i) {
    // Where other programs want the cores, a rank waits milliseconds for the other one to be scheduled.
    const int step = i % 32 == 0 ? 1 : 0;
    const int to = (rank + step) % size, from = (rank + size - step) % size;
    MPI_Sendrecv(&i, 1, MPI_INT, to, 3, &got, 1, MPI_INT, from, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    sum += got;
    if (i != count / 2) continue;
    FILE* const half = rank == 0 && argc > 2 ? fopen(argv[2], "w") : NULL;
    if (half != NULL) fclose(half);
    while (half != NULL && argc > 3 && access(argv[3], F_OK) != 0) sched_yield();  // no call that is recorded
    MPI_Barrier(MPI_COMM_WORLD);
  }
  printf("rank %d of %d: %ld\n", rank, size, sum);
  fflush(stdout);
  MPI_Finalize();
  return 4;
}
