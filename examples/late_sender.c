// SPDX-License-Identifier: Apache-2.0
/* Every second rank asks its left neighbour for a number and waits for it, because the neighbour is busy first.
 * late_sender [rounds = 20] [delay in us = 5000] */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { kAsk = 1, kAnswer = 2 };

static void be_busy(long us) {
  struct timespec left = {us / 1000000, us % 1000000 * 1000};
  while (nanosleep(&left, &left) != 0) continue;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rounds = argc > 1 ? atoi(argv[1]) : 20;
  const long delay_us = argc > 2 ? strtol(argv[2], NULL, 10) : 5000;
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size < 2) {
    printf("late_sender: needs two ranks, nothing to do\n");
    MPI_Finalize();
    return 0;
  }

  int64_t sum = 0;
  const int partner = rank ^ 1;
  for (int round = 0; round < rounds && partner < size; ++round) {
    if (rank % 2 == 1) {
      int64_t number;
      MPI_Send(NULL, 0, MPI_BYTE, partner, kAsk, MPI_COMM_WORLD);
      MPI_Recv(&number, 1, MPI_INT64_T, partner, kAnswer, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* waits here */
      sum += number;
    } else {
      const int64_t number = (int64_t)rank * 1000 + round;
      MPI_Recv(NULL, 0, MPI_BYTE, partner, kAsk, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      be_busy(delay_us);
      MPI_Send(&number, 1, MPI_INT64_T, partner, kAnswer, MPI_COMM_WORLD);
    }
  }
  int64_t total = 0;
  MPI_Reduce(&sum, &total, 1, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("late_sender: %d rounds, sum %lld\n", rounds, (long long)total);
  MPI_Finalize();
  return 0;
}
