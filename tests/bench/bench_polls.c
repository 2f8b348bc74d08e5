// SPDX-License-Identifier: Apache-2.0
/* What a poll takes: MPI_Test of a request that never completes, in a loop without any work. ns a poll.
 * bench_polls [polls = 10000000] */
#define _POSIX_C_SOURCE 200809L
#include "bench.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const long polls = argument(argc, argv, 1, 10000000, 1000000000);
  int value = 0, flag = 0;
  MPI_Request never;
  MPI_Irecv(&value, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &never);
  const double begin = now_ns(), begin_cpu = cpu_ns();
  for (long i = 0; i < polls; ++i) MPI_Test(&never, &flag, MPI_STATUS_IGNORE);
  const double cpu = cpu_ns() - begin_cpu, wall = now_ns() - begin;
  MPI_Cancel(&never);
  MPI_Wait(&never, MPI_STATUS_IGNORE);
  report("poll.mean", wall / (double)polls);
  report("poll.cpu", cpu / (double)polls);
  report_end((double)polls);
  MPI_Finalize();
  return 0;
}
