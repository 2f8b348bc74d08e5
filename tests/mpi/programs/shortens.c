// SPDX-License-Identifier: Apache-2.0
// A program that empties the configuration file after the tracer has read it.
#include <mpi.h>
#include <unistd.h>

int main(int argc, char** argv) {
  int flag = 0;
  MPI_Initialized(&flag);
  if (truncate("meridian.conf", 0) != 0) return 1;
  MPI_Init(&argc, &argv);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
