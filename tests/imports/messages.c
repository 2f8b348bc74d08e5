// SPDX-License-Identifier: Apache-2.0
// Blocking messages around a ring of ranks, an even number of them: ROUNDS times from each rank to the next one, and back. With a
// second argument also non-blocking ones with another tag.
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  int rank, size, value = 1, sum;
  char out[64] = {0}, in[64], late[64];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int rounds = argc > 1 ? atoi(argv[1]) : 100;
  const int next = (rank + 1) % size, previous = (rank + size - 1) % size;
  for (int round = 0; round < rounds; ++round) {
    MPI_Request request;
    if (argc > 2 && round % 10 == 0) MPI_Irecv(late, sizeof late, MPI_CHAR, previous, 3, MPI_COMM_WORLD, &request);
    if (rank % 2 == 0) {
      MPI_Send(out, 32, MPI_CHAR, next, 1, MPI_COMM_WORLD);
      MPI_Recv(in, sizeof in, MPI_CHAR, previous, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(in, sizeof in, MPI_CHAR, previous, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(out, 32, MPI_CHAR, next, 1, MPI_COMM_WORLD);
    }
    if (argc > 2 && round % 10 == 0) {
      MPI_Send(out, 16, MPI_CHAR, next, 3, MPI_COMM_WORLD);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    if (round % 50 == 0) MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
