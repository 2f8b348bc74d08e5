// SPDX-License-Identifier: Apache-2.0
// More threads than rings: one of two rings is free again after the second thread's first call.
#include <pthread.h>

#include "subject.h"

enum { kCalls = 3000 };

static pthread_barrier_t attached, refused;

static void call(void) {
  int seen = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &seen);
  REQUIRE(seen == rank);
}

static void* take_ring(void* unused) {
  call();
  pthread_barrier_wait(&attached);
  pthread_barrier_wait(&refused);
  return unused;
}

static void* come_late(void* first) {
  pthread_barrier_wait(&attached);
  call();
  pthread_barrier_wait(&refused);
  pthread_join(*(pthread_t*)first, NULL);
  for (int i = 1; i < kCalls; ++i) call();
  return NULL;
}

int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  look_around();
  pthread_barrier_init(&attached, NULL, 2);
  pthread_barrier_init(&refused, NULL, 2);
  pthread_t first, second;
  pthread_create(&first, NULL, take_ring, NULL);
  pthread_create(&second, NULL, come_late, &first);
  pthread_join(second, NULL);
  return end("crowd");
}
