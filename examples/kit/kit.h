/* SPDX-License-Identifier: Apache-2.0 */
/* For programs whose problem is known beforehand. Each measures it itself; announce() prints it. */
#ifndef MERIDIAN_KIT_H
#define MERIDIAN_KIT_H

#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static inline double now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

/* Computes for this long. */
static inline void work_ms(double ms) {
  const double end = now_ms() + ms;
  while (now_ms() < end) continue;
}

enum { kMostRounds = 1000 };
static double kit_stamps[kMostRounds];

/* Called before the call in which the problem is: waits are what the stamps of the ranks differ by. */
static inline void stamp(int round) { kit_stamps[round] = now_ms(); }

/* At rank 0, the seconds that `waiter` (-1: all ranks) waited for `causer` (-1: the last rank of each round), by the
 * stamps: all ranks are on one machine. */
static inline double waited(int rounds, int waiter, int causer) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  double* const all = calloc((size_t)size * kMostRounds, sizeof *all);
  if (all == NULL || rounds > kMostRounds) MPI_Abort(MPI_COMM_WORLD, 2);
  MPI_Gather(kit_stamps, kMostRounds, MPI_DOUBLE, all, kMostRounds, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  double ms = 0;
  for (int round = 0; round < rounds && rank == 0; ++round) {
    double until = 0;
    for (int i = 0; i < size; ++i)
      if ((causer < 0 || i == causer) && all[i * kMostRounds + round] > until) until = all[i * kMostRounds + round];
    for (int i = 0; i < size; ++i)
      if ((waiter < 0 || i == waiter) && until > all[i * kMostRounds + round])
        ms += until - all[i * kMostRounds + round];
  }
  free(all);
  return ms / 1e3;
}

/* The problem on one line: who waits in sum, in which function, how long (seconds; 0: not measured), and for what: rank
 * and line of the source file. -1: several ranks. */
static inline void announce(const char* problem, int waiter, const char* function, double seconds, int causer,
                            int line) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0)
    printf("designed: problem=%s waiter=%d function=%s seconds=%.3f causer=%d line=%d\n", problem, waiter, function,
           seconds, causer, line);
}

/* All ranks begin at the same time, so that the first wait is one of the design. */
static inline void start(int* rank, int* size, int least) {
  MPI_Comm_rank(MPI_COMM_WORLD, rank);
  MPI_Comm_size(MPI_COMM_WORLD, size);
  if (*size < least) {
    fprintf(stderr, "this program needs %d ranks, but there are %d\n", least, *size);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

#endif
