// SPDX-License-Identifier: Apache-2.0
/* A token goes round all ranks; every rank adds its number plus one.
 * ring [laps = 1000] */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const long laps = argc > 1 ? strtol(argv[1], NULL, 10) : 1000;
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int next = (rank + 1) % size;
  const int previous = (rank + size - 1) % size;
  const int tag = 7;

  int64_t token = 0;
  for (long lap = 0; lap < laps; ++lap) {
    if (size == 1) { /* a blocking send to the rank itself need not return */
      const int64_t sent = token + 1;
      MPI_Sendrecv(&sent, 1, MPI_INT64_T, next, tag, &token, 1, MPI_INT64_T, previous, tag, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
    } else if (rank == 0) {
      ++token;
      MPI_Send(&token, 1, MPI_INT64_T, next, tag, MPI_COMM_WORLD);
      MPI_Recv(&token, 1, MPI_INT64_T, previous, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(&token, 1, MPI_INT64_T, previous, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      token += rank + 1;
      MPI_Send(&token, 1, MPI_INT64_T, next, tag, MPI_COMM_WORLD);
    }
  }
  if (rank == 0) printf("ring: %ld laps, token %lld\n", laps, (long long)token);
  MPI_Finalize();
  return 0;
}
