// SPDX-License-Identifier: Apache-2.0
// stuck HOW: a program of at least two ranks that never ends by itself.
//   ring       each rank receives from the next one, and no rank sends
//   barrier    the last rank computes for ever, the others wait for it in a barrier
//   mismatch   the last rank is in a barrier, the others in a broadcast of which it is the root
//   left       the last rank has ended, the others receive from it
//   wait       as ring, with MPI_Irecv and MPI_Waitall
//   steps      as barrier, with a barrier of its own after each step
//   callback   as ring, inside a callback of MPI_Comm_free
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int receive_from(MPI_Comm comm, int key, void* next, void* extra) {
  int got = 0;
  (void)comm, (void)key, (void)extra;
  MPI_Recv(&got, 1, MPI_INT, *(int*)next, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return got;
}

int main(int argc, char** argv) {
  int rank, size, got = 0;
  const char* how = argc > 1 ? argv[1] : "";
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    printf("ready\n");
    fflush(stdout);
  }
  int next = (rank + 1) % size;
  const int last = size - 1;
  if (strcmp(how, "ring") == 0) {
    MPI_Recv(&got, 1, MPI_INT, next, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else if (strcmp(how, "wait") == 0) {
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Irecv(&got, 1, MPI_INT, next, 9, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  } else if (strcmp(how, "callback") == 0) {
    int key = MPI_KEYVAL_INVALID;
    MPI_Comm comm;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, receive_from, &key, NULL);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_attr(comm, key, &next);
    MPI_Comm_free(&comm);
  } else if (strcmp(how, "barrier") == 0) {
    for (volatile double x = 1; rank == last && x > 0;) x = x * 0.5 + 1;
    MPI_Barrier(MPI_COMM_WORLD);  // the last comes never
  } else if (strcmp(how, "steps") == 0) {
    while (rank == last) {
      for (volatile int i = 0; i < 3000000;) i = i + 1;
      MPI_Barrier(MPI_COMM_SELF);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  } else if (strcmp(how, "mismatch") == 0) {
    if (rank == last)
      MPI_Barrier(MPI_COMM_WORLD);
    else
      MPI_Bcast(&got, 1, MPI_INT, last, MPI_COMM_WORLD);
  } else if (strcmp(how, "left") == 0) {
    if (rank != last) MPI_Recv(&got, 1, MPI_INT, last, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Finalize();
  return got;
}
