// SPDX-License-Identifier: Apache-2.0
// A tool of somebody else: it counts calls and prints the counts in MPI_Finalize. A library, or a part of a program.
#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>

static int sends, receives, levels, words;

#ifdef HAS_INIT
int MPI_Init(int* argc, char*** argv) { return PMPI_Init(argc, argv); }
#endif

int MPI_Send(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  ++sends;
  return PMPI_Send(buf, count, datatype, dest, tag, comm);
}

int MPI_Recv(void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Status* status) {
  ++receives;
  return PMPI_Recv(buf, count, datatype, source, tag, comm, status);
}

int MPI_Pcontrol(const int level, ...) {
  va_list arguments;
  va_start(arguments, level);
  levels += level;
  words += va_arg(arguments, int);
  va_end(arguments);
  return MPI_SUCCESS;
}

int MPI_Finalize(void) {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  printf("other tool: rank %d: %d sends, %d receives, level %d, word %d\n", rank, sends, receives, levels, words);
  return PMPI_Finalize();
}
