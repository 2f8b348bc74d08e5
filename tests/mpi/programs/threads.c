// SPDX-License-Identifier: Apache-2.0
// MPI_THREAD_MULTIPLE: four threads of each rank exchange messages at once, each with a tag and communicator of its
// own, then all with one tag; requests that one thread starts are completed by another.
#include <pthread.h>

#include "subject.h"

enum { kThreads = 4, kMessages = 25 };

static MPI_Comm comms[kThreads];
static MPI_Request handed_over[kThreads];
static int landed[kThreads];

static void* exchange(void* argument) {
  const int me = *(const int*)argument;
  for (int i = 0; i < kMessages; ++i) {
    int out = rank * 1000 + i, in = -1;
    MPI_Request requests[2];
    MPI_Irecv(&in, 1, MPI_INT, previous, me, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(&out, 1, MPI_INT, next, me, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    REQUIRE(in == previous * 1000 + i);
    MPI_Sendrecv(&out, 1, MPI_INT, next, 50, &in, 1, MPI_INT, previous, 50, comms[me], MPI_STATUS_IGNORE);
    REQUIRE(in == previous * 1000 + i);
    MPI_Sendrecv(&out, 1, MPI_INT, next, 60, &in, 1, MPI_INT, previous, 60, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    REQUIRE(in / 1000 == previous);
  }
  MPI_Irecv(&landed[me], 1, MPI_INT, previous, 70 + me, MPI_COMM_WORLD, &handed_over[me]);
  MPI_Barrier(comms[me]);
  return NULL;
}

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  look_around();
  if (provided < MPI_THREAD_MULTIPLE) {
    if (rank == 0) printf("no MPI_THREAD_MULTIPLE here\n");
    MPI_Finalize();
    return 0;
  }
  pthread_t threads[kThreads];
  int numbers[kThreads];
  for (int i = 0; i < kThreads; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
  for (int i = 0; i < kThreads; ++i) {
    numbers[i] = i;
    pthread_create(&threads[i], NULL, exchange, &numbers[i]);
  }
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  for (int i = 0; i < kThreads; ++i) MPI_Send(&rank, 1, MPI_INT, next, 70 + i, MPI_COMM_WORLD);
  MPI_Waitall(kThreads, handed_over, MPI_STATUSES_IGNORE);
  for (int i = 0; i < kThreads; ++i) REQUIRE(landed[i] == previous);
  for (int i = 0; i < kThreads; ++i) MPI_Comm_free(&comms[i]);
  return end("threads");
}
