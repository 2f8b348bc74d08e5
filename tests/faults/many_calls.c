// SPDX-License-Identifier: Apache-2.0
/* many_calls COUNT [GO]: COUNT MPI calls of a few kinds, then what they cost; waits for the file GO before
 * MPI_Finalize, and says how long that took. One line for each rank, on standard output: rank calls ns_per_call
 * high_water_kib finalize_s */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double now_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static long high_water_kib(void) {
  char line[256];
  long kib = 0;
  FILE* const file = fopen("/proc/self/status", "r");
  while (file != NULL && fgets(line, sizeof line, file) != NULL)
    if (strncmp(line, "VmHWM:", 6) == 0) kib = strtol(line + 6, NULL, 10);
  if (file != NULL) fclose(file);
  return kib;
}

int main(int argc, char** argv) {
  int rank, flag;
  MPI_Request requests[2];
  double out = 1, in;
  if (argc < 2) return 3;
  const long rounds = strtol(argv[1], NULL, 10) / 8;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const double begin = now_s();
  for (long i = 0; i < rounds; ++i) {
    MPI_Irecv(&in, 1, MPI_DOUBLE, rank, (int)(i % 100), MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(&out, 1, MPI_DOUBLE, rank, (int)(i % 100), MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Iprobe(MPI_ANY_SOURCE, 101, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    MPI_Comm_rank(MPI_COMM_SELF, &flag);
    MPI_Wtime();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  }
  const double end = now_s();
  if (argc > 2)
    while (access(argv[2], F_OK) != 0) usleep(10000);
  const long high_water = high_water_kib();
  const double finalize = now_s();
  MPI_Finalize();
  printf("%d %ld %.1f %ld %.3f\n", rank, rounds * 8, rounds == 0 ? 0 : (end - begin) * 1e9 / (double)(rounds * 8),
         high_water, now_s() - finalize);
  return 0;
}
