/* SPDX-License-Identifier: Apache-2.0 */
/* A program with user macros of Score-P: 4 x sweep, with a name that is no literal, a function, a metric. scorep */
#include <mpi.h>
#include <scorep/SCOREP_User.h>
#include <stdio.h>

static void exchange(void) {
  SCOREP_USER_FUNC_BEGIN()
  MPI_Barrier(MPI_COMM_WORLD);
  SCOREP_USER_FUNC_END()
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  SCOREP_USER_REGION_DEFINE(sweep)
  SCOREP_USER_METRIC_LOCAL(residual)
  SCOREP_USER_METRIC_INIT(residual, "residual", "1", SCOREP_USER_METRIC_TYPE_DOUBLE, SCOREP_USER_METRIC_CONTEXT_GLOBAL)
  const char* const name = argc > 1 ? argv[1] : "sweep";
  for (int step = 0; step < 4; ++step) {
    SCOREP_USER_REGION_BEGIN(sweep, name, SCOREP_USER_REGION_TYPE_COMMON)
    exchange();
    SCOREP_USER_METRIC_DOUBLE(residual, 1.0 / (step + 1))
    SCOREP_USER_REGION_END(sweep)
  }
  (void)name;
  if (rank == 0) printf("done\n");
  MPI_Finalize();
  return 0;
}
