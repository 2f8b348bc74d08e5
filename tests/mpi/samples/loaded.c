// SPDX-License-Identifier: Apache-2.0
// A library for loading.c: FUNCTION computes.
#include <time.h>

__attribute__((noinline)) static double FUNCTION(void) {
  volatile double sum = 0;
  struct timespec used;
  do {
    for (int i = 1; i < 100000; i++) sum += 1.0 / i;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  } while ((double)used.tv_sec + 1e-9 * (double)used.tv_nsec < SECONDS);
  return sum;
}

double compute(void) { return FUNCTION(); }
