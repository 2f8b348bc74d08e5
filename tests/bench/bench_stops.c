// SPDX-License-Identifier: Apache-2.0
/* How often, and for how much of its time, a loop stands still: what interrupts of the processor take, samples among them. Longer stops are
 * another program's turn, and do not count. bench_stops [milliseconds = 4000] */
#define _POSIX_C_SOURCE 200809L
#include "bench.h"

int main(int argc, char** argv) {
  const double least_ns = 1500, most_ns = 400e3;
  MPI_Init(&argc, &argv);
  const double length = 1e6 * (double)argument(argc, argv, 1, 4000, 1000000);
  const double begin = now_ns();
  double before = begin, lost = 0;
  long stops = 0;
  while (before - begin < length) {
    const double now = now_ns(), step = now - before;
    if (step > least_ns && step < most_ns) {
      lost += step;
      ++stops;
    }
    before = now;
  }
  report("stops.second", 1e9 * (double)stops / length);
  report("stops.share", 100 * lost / length);
  report_end(0);
  MPI_Finalize();
  return 0;
}
