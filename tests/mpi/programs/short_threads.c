// SPDX-License-Identifier: Apache-2.0
// 200 threads, one after another, each with one message to its own rank: their rings are used again.
#include <pthread.h>

#include "subject.h"

enum { kThreads = 200 };

static void* live_briefly(void* argument) {
  int in = -1;
  MPI_Sendrecv(argument, 1, MPI_INT, rank, 1, &in, 1, MPI_INT, rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  REQUIRE(in == *(const int*)argument);
  return NULL;
}

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
  look_around();
  for (int i = 0; i < kThreads; ++i) {
    pthread_t thread;
    REQUIRE(pthread_create(&thread, NULL, live_briefly, &i) == 0);
    pthread_join(thread, NULL);
  }
  return end("short_threads");
}
