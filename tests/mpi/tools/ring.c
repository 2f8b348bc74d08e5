// SPDX-License-Identifier: Apache-2.0
// A message around the ring of ranks, again and again.
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  enum { rounds = 20 };
  int rank = 0, size = 0, value = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Pcontrol(7, 35);
  for (int i = 0; i < rounds && size > 1; ++i) {
    if (rank != 0) MPI_Recv(&value, 1, MPI_INT, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    ++value;
    MPI_Send(&value, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD);
    if (rank == 0) MPI_Recv(&value, 1, MPI_INT, size - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  if (rank == 0) printf("value %d\n", value);
  MPI_Finalize();
  return 0;
}
