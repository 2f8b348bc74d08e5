// SPDX-License-Identifier: Apache-2.0
/* The cost of the program's own events, marked with <meridian/user.h>; untraced, the cost of a mark that is not
 * recorded. bench_user [batches of 1000] */
#include <meridian/user.h>

#include "bench.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const long batches = argument(argc, argv, 1, 2000, kMaxBatches);
  MEASURE(batches, "user.region", MERIDIAN_REGION_BEGIN("step"); MERIDIAN_REGION_END("step"));
  MEASURE(batches, "user.event", MERIDIAN_EVENT(bench, STEP, i64(i), i64(batch)));
  MEASURE(batches, "user.counter", MERIDIAN_COUNTER("step", (double)i));
  MEASURE(batches, "user.marker", MERIDIAN_MARKER("step"));
  report_end((double)batches * kBatch * 5);
  MPI_Finalize();
  return 0;
}
