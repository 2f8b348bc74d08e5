// SPDX-License-Identifier: Apache-2.0
/* Late neighbour: two ranks of a line exchange data with MPI_Neighbor_alltoall, and the last one computes before.
 * late_neighbour [rounds = 25] */
#include "examples/kit/kit.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rounds = argc > 1 ? atoi(argv[1]) : 25;
  int rank, size;
  start(&rank, &size, 2);

  const int periodic = 0;
  MPI_Comm line;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &line);
  int own[2] = {rank, rank}, theirs[2] = {0, 0};
  for (int round = 0; round < rounds; ++round) {
    if (rank == size - 1) work_ms(20);
    stamp(round);
    MPI_Neighbor_alltoall(own, 1, MPI_INT, theirs, 1, MPI_INT, line);
  }
  const int cause = __LINE__ - 2;
  announce("wait at neighbours", size - 2, "MPI_Neighbor_alltoall", waited(rounds, size - 2, size - 1), size - 1,
           cause);
  MPI_Comm_free(&line);
  MPI_Finalize();
  return 0;
}
