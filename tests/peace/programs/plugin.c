// SPDX-License-Identifier: Apache-2.0
// A plugin for dlopen(): locks, a thread, and an MPI call.
#include <mpi.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int sum, is_set;

static void* add(void* unused) {
  pthread_mutex_lock(&mutex);
  for (int i = 0; i < 100; ++i) sum += i;
  is_set = 1;
  pthread_cond_signal(&condition);
  pthread_mutex_unlock(&mutex);
  return unused;
}

int plugin_run(void) {
  pthread_t thread;
  int own = -1;
  sum = is_set = 0;
  pthread_create(&thread, NULL, add, NULL);
  pthread_mutex_lock(&mutex);
  while (!is_set) pthread_cond_wait(&condition, &mutex);
  pthread_mutex_unlock(&mutex);
  pthread_join(thread, NULL);
  MPI_Comm_rank(MPI_COMM_SELF, &own);
  return sum + own;
}
