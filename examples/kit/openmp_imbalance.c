// SPDX-License-Identifier: Apache-2.0
/* OpenMP imbalance: two threads of a rank share the work of a region, one of them ten times as much as the other. The threads of the
 * other ranks compute as long as that one.
 * openmp_imbalance [rounds = 40] */
#include "examples/kit/kit.h" /* first: it chooses the POSIX version */

#include <omp.h>

enum { kThreads = 2, kLong = 10, kShort = 1 };

int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  const int rounds = argc > 1 ? atoi(argv[1]) : 40;
  int rank, size;
  start(&rank, &size, 2);
  double ends[kThreads], lost = 0; /* ms */
  int line = 0;
  for (int round = 0; round < rounds; ++round) {
    line = __LINE__ + 1;
#pragma omp parallel num_threads(kThreads)
    {
      const int number = omp_get_thread_num();
      work_ms(rank == 0 && number != kThreads - 1 ? kShort : kLong);
      ends[number] = now_ms();
    }
    double last = 0, sum = 0;
    for (int i = 0; i < kThreads; ++i) {
      sum += ends[i];
      if (ends[i] > last) last = ends[i];
    }
    lost += last - sum / kThreads;
  }
  announce("OpenMP imbalance", 0, "omp_parallel", lost / 1e3, 0, line);
  MPI_Finalize();
  return 0;
}
