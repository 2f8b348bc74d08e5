// SPDX-License-Identifier: Apache-2.0
/* Rank r computes r + 1 times as long as rank 0, then all ranks wait at a barrier.
 * imbalance [steps = 100] [work of rank 0 in a step = 200000] */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* `count` steps of a linear congruential generator: work that no compiler can remove. */
static uint64_t compute(uint64_t x, uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) x = x * 6364136223846793005u + 1442695040888963407u;
  return x;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int steps = argc > 1 ? atoi(argv[1]) : 100;
  const uint64_t work = argc > 2 ? strtoull(argv[2], NULL, 10) : 200000;
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);

  uint64_t x = (uint64_t)rank;
  for (int step = 0; step < steps; ++step) {
    x = compute(x, work * (uint64_t)(rank + 1));
    MPI_Barrier(MPI_COMM_WORLD);
  }
  uint64_t checksum = 0;
  MPI_Reduce(&x, &checksum, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("imbalance: %d steps, checksum %016llx\n", steps, (unsigned long long)checksum);
  MPI_Finalize();
  return 0;
}
