// SPDX-License-Identifier: Apache-2.0
// A program that ends in the way that its argument names, after the same messages: what was recorded must not depend on
// it.
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "subject.h"

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
    // The others are where they stay: in the barrier.
    if (rank == size - 1) MPI_Abort(MPI_COMM_WORLD, 7);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (strcmp(how, "kill") == 0 && rank == size - 1) raise(SIGKILL);
  if (strcmp(how, "kill") == 0) MPI_Barrier(MPI_COMM_WORLD);
  return 0;  // without MPI_Finalize
}
