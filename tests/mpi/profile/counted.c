/* SPDX-License-Identifier: Apache-2.0
   counted ROUNDS [KILL]: each rank sends ROUNDS messages of 8 bytes around a ring, with an Allreduce every 100, and asks for its
   rank as often. With KILL, rank 0 prints how many rounds are done from time to time, and the program goes on until it is killed. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const long rounds = atol(argv[1]);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  double value = rank, got = 0, sum = 0;
  for (long i = 0; i < rounds || argc > 2; ++i) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Sendrecv(&value, 1, MPI_DOUBLE, (rank + 1) % size, 0, &got, 1, MPI_DOUBLE, (rank + size - 1) % size, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    value = got + 1;
    if (i % 100 == 99) MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (argc > 2 && i % 1000 == 999 && rank == 0) {
      printf("%ld\n", i + 1);
      fflush(stdout);
    }
  }
  if (rank == 0) printf("%.0f\n", sum);
  MPI_Finalize();
  return 0;
}
