// SPDX-License-Identifier: Apache-2.0
// A tool of somebody else that wraps Fortran's procedures.
#include <stdio.h>

void pmpi_send_(void*, void*, void*, void*, void*, void*, void*);
void mpi_send_(void*, void*, void*, void*, void*, void*, void*);

void mpi_send_(void* buf, void* count, void* datatype, void* dest, void* tag, void* comm, void* ierror) {
  pmpi_send_(buf, count, datatype, dest, tag, comm, ierror);
  puts("other tool: sent");
  fflush(stdout);
}
