// SPDX-License-Identifier: Apache-2.0
/* One marker, for any way of compiling and linking. */
#include <meridian/user.h>
#ifdef WITH_MPI
#include <mpi.h>
#endif

int main(int argc, char** argv) {
#ifdef WITH_MPI
  MPI_Init(&argc, &argv);
#else
  (void)argc, (void)argv;
#endif
  {
    MERIDIAN_REGION("linked");
    MERIDIAN_EVENT(linked, YES, i64(1), u64(2), f64(0.5), text("text"));
  }
  MERIDIAN_FIRE(linked, NUMBERS, 1, 2);
  MERIDIAN_OFF();
  MERIDIAN_ON();
#ifdef WITH_MPI
  MPI_Finalize();
#endif
  return 0;
}
