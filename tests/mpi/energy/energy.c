// SPDX-License-Identifier: Apache-2.0
// Iterations of known length: `regions` marks them, `plain` does not.
#include <mpi.h>
#include <string.h>
#include <time.h>

#include "meridian/user.h"

enum { kIterations = 80, kIterationMs = 40 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int has_regions = argc > 1 && strcmp(argv[1], "regions") == 0;
  for (int i = 0; i < kIterations; ++i) {
    const struct timespec moment = {0, kIterationMs * 1000000L};
    if (has_regions) MERIDIAN_REGION_BEGIN("iteration");
    nanosleep(&moment, NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    if (has_regions) MERIDIAN_REGION_END("iteration");
  }
  MPI_Finalize();
  return 0;
}
