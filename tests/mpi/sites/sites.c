// SPDX-License-Identifier: Apache-2.0
// Calls of the same functions from several places: of the program, of code that was inlined, of a shared library. With
// an argument it waits for a message that is never sent, until it is ended.
#include "sites.h"

#include <stdlib.h>
#include <unistd.h>

static inline __attribute__((always_inline)) void inlined(int* value) {
  AT("MPI_Allreduce", MPI_Allreduce(MPI_IN_PLACE, value, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
}

__attribute__((noinline)) static void twice(int* value) {
  AT("MPI_Bcast", MPI_Bcast(value, 1, MPI_INT, 0, MPI_COMM_WORLD));
  inlined(value);
  AT("MPI_Bcast", MPI_Bcast(value, 1, MPI_INT, 0, MPI_COMM_WORLD));
  __asm__ volatile("");
}

__attribute__((noinline)) static void give(int value) {
  AT("MPI_Send", MPI_Send(&value, 1, MPI_INT, 0, 7, MPI_COMM_SELF));
  __asm__ volatile("");
}

__attribute__((noinline)) static void all_kinds(void) {
  int value = 0, flag = 0;
  MPI_Request requests[2];
  MPI_Status status, statuses[2];
  AT("MPI_Irecv", MPI_Irecv(&value, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &requests[0]));
  AT("MPI_Isend", MPI_Isend(&flag, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &requests[1]));
  AT("MPI_Waitall", MPI_Waitall(2, requests, statuses));
  AT("MPI_Iprobe", MPI_Iprobe(0, 2, MPI_COMM_SELF, &flag, &status));
  AT("MPI_Isend", MPI_Isend(&flag, 1, MPI_INT, 0, 3, MPI_COMM_SELF, &requests[0]));
  AT("MPI_Recv", MPI_Recv(&value, 1, MPI_INT, 0, 3, MPI_COMM_SELF, &status));
  AT("MPI_Test", MPI_Test(&requests[0], &flag, &status));
  if (!flag) AT("MPI_Wait", MPI_Wait(&requests[0], &status));
  AT("MPI_Wtime", MPI_Wtime());
  AT("MPI_Comm_size", MPI_Comm_size(MPI_COMM_WORLD, &flag));
}

int main(int argc, char** argv) {
  int rank = 0, value = 1;
  AT("MPI_Init", MPI_Init(&argc, &argv));
  AT("MPI_Comm_rank", MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  for (int i = 0; i < 3; ++i) AT("MPI_Barrier", MPI_Barrier(MPI_COMM_WORLD));
  for (int i = 0; i < 5 + rank; ++i) library_exchange(give);
  for (int i = 0; i < 4; ++i) twice(&value);
  value = 0;
  inlined(&value);
  library_barrier(2);
  library_barrier(0);
  for (int i = 0; i < 10; ++i) all_kinds();
  if (argc > 1) {
    alarm(1);
    AT("MPI_Recv", MPI_Recv(&value, 1, MPI_INT, 0, 99, MPI_COMM_SELF, MPI_STATUS_IGNORE));
  }
  note("MPI_Finalize", __func__, __FILE__, __LINE__ + 5);
  for (int i = 0; i < g_place_count; ++i)
    printf("site %s %s %s %d %d\n", g_places[i].function, g_places[i].caller, g_places[i].file, g_places[i].line,
           g_places[i].count);
  fflush(stdout);
  MPI_Finalize();
  return 0;
}
