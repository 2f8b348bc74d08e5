// SPDX-License-Identifier: Apache-2.0
// A program that ends in the way that its argument names, after the same messages: what was recorded must not depend on
// it.
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "subject.h"

/* The other ranks are where they stay. Computes, because sleep would be recorded. */
static void come_last(void) {
  struct timespec begin, now;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  do clock_gettime(CLOCK_MONOTONIC, &now);
  while ((now.tv_sec - begin.tv_sec) * 1000 + (now.tv_nsec - begin.tv_nsec) / 1000000 < 100);
}

int main(int argc, char** argv) {
  const char* const how = argc > 1 ? argv[1] : "";
  begin(&argc, &argv);
  int got = -1;
  for (int i = 0; i < 10; ++i)
    MPI_Sendrecv(&rank, 1, MPI_INT, next, i, &got, 1, MPI_INT, previous, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  REQUIRE(got == previous);
  if (rank == 0) {
    printf("ending on %d ranks\n", size);
    fflush(stdout);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  usleep(200000);  // a launcher that ends a program may lose what it has not forwarded yet
  if (strcmp(how, "exit") == 0) exit(0);
  if (strcmp(how, "_exit") == 0) _exit(0);
  if (strcmp(how, "abort") == 0) {
    if (rank == size - 1) {
      come_last();
      MPI_Abort(MPI_COMM_WORLD, 7);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (strcmp(how, "kill") == 0 && rank == size - 1) {
    come_last();
    raise(SIGKILL);
  }
  if (strcmp(how, "kill") == 0) MPI_Barrier(MPI_COMM_WORLD);
  return 0;  // without MPI_Finalize
}
