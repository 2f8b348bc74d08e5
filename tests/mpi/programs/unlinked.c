// SPDX-License-Identifier: Apache-2.0
// A program that was linked only with the tracer: there is no MPI library in its process.
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int size = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  printf("%d\n", 100 / size);
  MPI_Finalize();
  return 0;
}
