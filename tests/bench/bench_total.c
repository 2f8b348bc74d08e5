// SPDX-License-Identifier: Apache-2.0
/* Very many calls of one kind without a pause, for means: bench_total (comm_rank | self_message) [calls = 10000000]
 * Reports the mean and the median time of a call; rank 0 also the duration of MPI_Finalize, and the processor time of its
 * process until then. */
#define _POSIX_C_SOURCE 200809L
#include <string.h>

#include "bench.h"

enum { kTogether = 201 }; /* a multiple of three: a message takes three calls */

static volatile int g_rank;
static Samples g_samples;

static void comm_rank(void) {
  for (int i = 0; i < kTogether; ++i) {
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    g_rank = rank;
  }
}

static void self_message(void) {
  for (int i = 0; i < kTogether; i += 3) {
    double out = 1, in;
    MPI_Request requests[2];
    MPI_Irecv(&in, 1, MPI_DOUBLE, 0, 7, MPI_COMM_SELF, &requests[0]);
    MPI_Isend(&out, 1, MPI_DOUBLE, 0, 7, MPI_COMM_SELF, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int is_message = argc > 1 && strcmp(argv[1], "self_message") == 0;
  if (argc > 1 && !is_message && strcmp(argv[1], "comm_rank") != 0) {
    fprintf(stderr, "usage: bench_total (comm_rank | self_message) [calls]\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  const long calls = argument(argc, argv, 2, 10000000, 1000000000);
  const long batches = (calls + kTogether - 1) / kTogether;
  const double begin = now_ns();
  for (long i = 0; i < batches; ++i) {
    const double before = now_ns();
    if (is_message)
      self_message();
    else
      comm_rank();
    add_sample(&g_samples, (now_ns() - before) / kTogether);
  }
  const double all_calls = (double)batches * kTogether;
  report("call.mean", (now_ns() - begin) / all_calls);
  report("call.median", median(&g_samples));
  report_end(all_calls);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const double before = now_ns();
  MPI_Finalize();
  if (rank != 0) return 0;
  printf("finalize %.0f\n", now_ns() - before);
  printf("process_cpu %.0f\n", read_clock_ns(CLOCK_PROCESS_CPUTIME_ID));
  return 0;
}
