// SPDX-License-Identifier: Apache-2.0
// Calls that the standard allows before MPI_Init and after MPI_Finalize.
#include "subject.h"

int main(int argc, char** argv) {
  int flag = -1, version = 0, subversion = 0, length = 0;
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  MPI_Initialized(&flag);
  REQUIRE(flag == 0);
  MPI_Finalized(&flag);
  REQUIRE(flag == 0);
  MPI_Get_version(&version, &subversion);
  MPI_Get_library_version(text, &length);
  begin(&argc, &argv);
  MPI_Initialized(&flag);
  REQUIRE(flag == 1);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  MPI_Finalized(&flag);
  REQUIRE(flag == 1);
  MPI_Initialized(&flag);
  REQUIRE(flag == 1);
  MPI_Get_version(&version, &subversion);
  if (rank == 0) printf("outside on %d ranks: done\n", size);
  return 0;
}
