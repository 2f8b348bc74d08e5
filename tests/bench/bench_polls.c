// SPDX-License-Identifier: Apache-2.0
/* What a poll takes: MPI_Test of a request that never completes, in a loop without any work. bench_polls [polls = 10000000] */
#define _POSIX_C_SOURCE 200809L
#include "bench.h"

int main(int argc, char** argv) {
  const long polls = argc > 1 ? atol(argv[1]) : 10000000;
  MPI_Init(&argc, &argv);
  int value = 0, flag = 0;
  MPI_Request never;
  MPI_Irecv(&value, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &never);
  const double wall = now_ns(), cpu = cpu_ns();
  for (long i = 0; i < polls; ++i) MPI_Test(&never, &flag, MPI_STATUS_IGNORE);
  printf("poll %.2f ns, processor time %.2f ns\n", (now_ns() - wall) / (double)polls, (cpu_ns() - cpu) / (double)polls);
  MPI_Cancel(&never);
  MPI_Wait(&never, MPI_STATUS_IGNORE);
  MPI_Finalize();
  return 0;
}
