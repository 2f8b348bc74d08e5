// SPDX-License-Identifier: Apache-2.0
// Bursts of equal calls, in which `meridian aggregate` finds runs: sends, posted receives, questions to MPI.
#include <mpi.h>

enum { kRounds = 20, kBurst = 25 };

int main(int argc, char** argv) {
  int rank, size, value[2 * kBurst] = {0};
  MPI_Request requests[2 * kBurst];
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int round = 0; round < kRounds; ++round) {
    for (int i = 0; i < kBurst; ++i) MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < kBurst; ++i)
      MPI_Irecv(&value[i], 1, MPI_INT, (rank + size - 1) % size, i % 3, MPI_COMM_WORLD, &requests[i]);
    for (int i = 0; i < kBurst; ++i)
      MPI_Isend(&value[kBurst + i], 1, MPI_INT, (rank + 1) % size, i % 3, MPI_COMM_WORLD, &requests[kBurst + i]);
    MPI_Waitall(2 * kBurst, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 3; ++i) MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
