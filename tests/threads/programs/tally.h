// SPDX-License-Identifier: Apache-2.0
// Counts of a program's own uses of threads and locks, printed at its end.
#ifndef TALLY_H
#define TALLY_H

#include <mpi.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TALLY_ROWS 64
static struct {
  const char* kind;
  const char* name;
  long count;
} tally_rows[TALLY_ROWS];
static int tally_used;
static char tally_text[16384];
static size_t tally_length;

/// kind "acquired": locks taken, of one kind of lock; "waited": those of them that were waited for; "calls": calls of
/// one function; "holder": waits for a lock that the thread with this kernel tid had.
static void tally(const char* kind, const char* name, long count) {
  int i = 0;
  while (i < tally_used && (strcmp(tally_rows[i].kind, kind) != 0 || strcmp(tally_rows[i].name, name) != 0)) ++i;
  if (i == tally_used) ++tally_used;
  tally_rows[i].kind = kind;
  tally_rows[i].name = name;
  tally_rows[i].count += count;
}

/// A result that must be the same traced and untraced.
static inline void result(const char* what, long value) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  tally_length += (size_t)snprintf(tally_text + tally_length, sizeof tally_text - tally_length, "%d result %s %ld\n",
                                   rank, what, value);
}

/// For names that do not live as long as the program.
static inline void tally_text_only(const char* kind, const char* name, long count) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  tally_length += (size_t)snprintf(tally_text + tally_length, sizeof tally_text - tally_length, "%d %s %s %ld\n", rank,
                                   kind, name, count);
}

/// Only by rank 0: launchers mix what several ranks print in the middle of lines.
static void print_tally(void) {
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < tally_used; ++i)
    tally_length += (size_t)snprintf(tally_text + tally_length, sizeof tally_text - tally_length, "%d %s %s %ld\n",
                                     rank, tally_rows[i].kind, tally_rows[i].name, tally_rows[i].count);
  char* const all = rank == 0 ? (char*)malloc((size_t)size * sizeof tally_text) : NULL;
  MPI_Gather(tally_text, sizeof tally_text, MPI_CHAR, all, sizeof tally_text, MPI_CHAR, 0, MPI_COMM_WORLD);
  for (int i = 0; rank == 0 && i < size; ++i) fputs(all + (size_t)i * sizeof tally_text, stdout);
  fflush(stdout);
  free(all);
}

/// Ends the program with `code`, when all ranks have left MPI_Finalize: Open MPI ends all ranks at the first code other
/// than 0. poll() is no call that the tracer records.
static inline void end_with(int code) {
  poll(NULL, 0, 300);
  exit(code);
}

static inline struct timespec after_ms(clockid_t clock, long ms) {
  struct timespec time;
  clock_gettime(clock, &time);
  time.tv_nsec += ms * 1000000;
  time.tv_sec += time.tv_nsec / 1000000000;
  time.tv_nsec %= 1000000000;
  return time;
}

#endif
