// SPDX-License-Identifier: Apache-2.0
// The shared library of sites.c.
#include "sites.h"

struct place g_places[kMaxPlaces];
int g_place_count;

__attribute__((noinline)) void library_barrier(int deep) {
  if (deep > 0) library_barrier(deep - 1);
  AT("MPI_Barrier", MPI_Barrier(MPI_COMM_WORLD));
  __asm__ volatile("");  // without it the call would be a tail call
}

__attribute__((noinline)) void library_exchange(void (*give)(int)) {
  int taken = 0;
  MPI_Request request;
  AT("MPI_Irecv", MPI_Irecv(&taken, 1, MPI_INT, 0, 7, MPI_COMM_SELF, &request));
  give(taken);
  AT("MPI_Wait", MPI_Wait(&request, MPI_STATUS_IGNORE));
  __asm__ volatile("");
}
