// SPDX-License-Identifier: Apache-2.0
/* The cost of a call site that records nothing: the least of many batches, in ns, minus the loop. cost [mpi] */
#define _POSIX_C_SOURCE 200809L
#include <meridian/user.h>
#include <stdio.h>
#include <time.h>
#ifdef WITH_MPI
#include <mpi.h>
#endif

enum { kBatches = 2000, kTimes = 2000 };
static volatile long value;

static double now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

#define LEAST(result, site)                          \
  double result = 1e9;                               \
  for (int batch = 0; batch < kBatches; ++batch) {   \
    const double begin = now_ns();                   \
    for (int i = 0; i < kTimes; ++i) {               \
      value = i;                                     \
      site;                                          \
    }                                                \
    const double each = (now_ns() - begin) / kTimes; \
    if (each < result) result = each;                \
  }

int main(int argc, char** argv) {
#ifdef WITH_MPI
  MPI_Init(&argc, &argv);
#else
  (void)argc, (void)argv;
#endif
  LEAST(nothing, (void)0)
  LEAST(event, MERIDIAN_EVENT(cost, EVENT, i64(i), i64(2 * i)))
  LEAST(region, { MERIDIAN_REGION("cost"); })
  LEAST(counter, MERIDIAN_COUNTER("cost", i))
  printf("event %.2f region %.2f counter %.2f\n", event - nothing, region - nothing, counter - nothing);
#ifdef WITH_MPI
  MPI_Finalize();
#endif
  return 0;
}
