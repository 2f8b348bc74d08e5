// SPDX-License-Identifier: Apache-2.0
/* Small messages: 64 KiB a round, sent eight bytes at a time.
 * small_messages [rounds = 10] */
#include "examples/kit/kit.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rounds = argc > 1 ? atoi(argv[1]) : 10;
  int rank, size;
  start(&rank, &size, 2);

  enum { kNumbers = 1 << 13 };
  double* const numbers = calloc(kNumbers, sizeof *numbers);
  if (numbers == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  for (int round = 0; round < rounds; ++round)
    for (int i = 0; i < kNumbers; ++i) {
      if (rank == 0) MPI_Send(&numbers[i], 1, MPI_DOUBLE, size - 1, 0, MPI_COMM_WORLD);
      if (rank == size - 1) MPI_Recv(&numbers[i], 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  free(numbers);
  announce("small messages", -1, "none", 0, -1, 0);
  MPI_Finalize();
  return 0;
}
