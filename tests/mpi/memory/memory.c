// SPDX-License-Identifier: Apache-2.0
// Memory over time: `grow` touches one more MiB in each of 100 iterations and keeps it, `regions` marks the iterations as well, `once` touches
// 100 MiB at its start, `freed` frees in each iteration what it has touched in it.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "meridian/user.h"

enum { kIterations = 100, kIterationMs = 20, kMiB = 1 << 20 };

static void* touch(size_t bytes) {
  void* const memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) exit(3);
  memset(memory, 1, bytes);
  return memory;
}

static void wait_a_moment(void) {
  const struct timespec moment = {0, kIterationMs * 1000000L};
  nanosleep(&moment, NULL);
}

int main(int argc, char** argv) {
  int rank = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const char* const how = argc > 1 ? argv[1] : "";
  const int has_regions = strcmp(how, "regions") == 0, is_growing = has_regions || strcmp(how, "grow") == 0;
  if (strcmp(how, "once") == 0) touch((size_t)kIterations * kMiB);
  for (int i = 0; i < kIterations; ++i) {
    if (has_regions) MERIDIAN_REGION_BEGIN("iteration");
    void* const memory = is_growing || strcmp(how, "freed") == 0 ? touch(kMiB) : NULL;
    wait_a_moment();
    if (memory != NULL && !is_growing) munmap(memory, kMiB);
    MPI_Barrier(MPI_COMM_WORLD);
    if (has_regions) MERIDIAN_REGION_END("iteration");
  }
  MPI_Finalize();
  return 0;
}
