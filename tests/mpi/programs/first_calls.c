// SPDX-License-Identifier: Apache-2.0
// Sixteen threads make the first MPI calls of the process at the same time, before MPI_Init.
#include <pthread.h>

#include "subject.h"

enum { kThreads = 16 };

static pthread_barrier_t gate;

static void* ask(void* argument) {
  int flag = -1, version = 0, subversion = 0;
  pthread_barrier_wait(&gate);
  MPI_Initialized(&flag);
  MPI_Get_version(&version, &subversion);
  *(int*)argument = flag == 0 && version >= 3;
  return NULL;
}

int main(int argc, char** argv) {
  pthread_t threads[kThreads];
  int is_right[kThreads];
  pthread_barrier_init(&gate, NULL, kThreads);
  for (int i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, ask, &is_right[i]);
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  begin(&argc, &argv);
  for (int i = 0; i < kThreads; ++i) REQUIRE(is_right[i]);
  MPI_Barrier(MPI_COMM_WORLD);
  return end("first_calls");
}
