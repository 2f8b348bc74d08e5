// SPDX-License-Identifier: Apache-2.0
// Calls MPI before MPI_Init, as libraries do that ask whether MPI is in use.
#include <mpi.h>

int main(int argc, char** argv) {
  int flag = 0, version = 0, subversion = 0;
  for (int i = 0; i < 1000; ++i) MPI_Initialized(&flag);
  MPI_Get_version(&version, &subversion);
  MPI_Init(&argc, &argv);
  MPI_Finalize();
  return 0;
}
