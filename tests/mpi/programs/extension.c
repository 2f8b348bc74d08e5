// SPDX-License-Identifier: Apache-2.0
// A persistent collective by a library's extension, which the standard took over later.
#include "subject.h"

#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif

int main(int argc, char** argv) {
  begin(&argc, &argv);
#if defined(OMPI_HAVE_MPI_EXT_PCOLLREQ) && MPI_VERSION < 4
  MPI_Request request;
  MPIX_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  for (int i = 0; i < 5; ++i) {
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Request_free(&request);
  MPI_Barrier(MPI_COMM_WORLD);
  return end("extension");
#else
  return end("no extension");
#endif
}
