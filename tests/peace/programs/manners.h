// SPDX-License-Identifier: Apache-2.0
// Shared by the programs of tests/peace, which print their observations line by line.
#ifndef MANNERS_H
#define MANNERS_H

#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { EXCHANGES = 20 };

static int rank, size;

/// One line in one piece, even while other ranks print.
__attribute__((format(printf, 1, 2), unused)) static void say(const char* format, ...) {
  char line[512];
  int length = snprintf(line, sizeof line, "%d: ", rank);
  va_list arguments;
  va_start(arguments, format);
  length += vsnprintf(line + length, sizeof line - (size_t)length - 1, format, arguments);
  va_end(arguments);
  line[length++] = '\n';
  if (write(1, line, (size_t)length) != length) _exit(99);
}

/// Messages around the ring.
__attribute__((unused)) static void exchange(void) {
  int out = rank, in = -1;
  for (int i = 0; i < EXCHANGES; ++i) {
    MPI_Sendrecv(&out, 1, MPI_INT, (rank + 1) % size, i, &in, 1, MPI_INT, (rank + size - 1) % size, i, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    out = in;
  }
  say("after %d exchanges %d", EXCHANGES, out);
}

__attribute__((unused)) static void begin(int* argc, char*** argv) {
  int provided = 0;
  MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
}

/// The exit code of a program that ends with `code`. Open MPI ends the other ranks at the first code other than 0, so only
/// rank 0 has it, and it is the last to end.
__attribute__((unused)) static int last_code(int code) {
  if (rank != 0) return 0;
  nanosleep(&(struct timespec){.tv_nsec = 500000000}, NULL);
  return code;
}

#endif
