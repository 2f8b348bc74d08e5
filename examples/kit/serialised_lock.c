// SPDX-License-Identifier: Apache-2.0
/* Serialised lock: four threads of a rank share their work, but a mutex lets one compute at a time. The other ranks have as
 * many threads and a mutex for each.
 * serialised_lock [rounds = 25] */
#include "examples/kit/kit.h" /* first: it chooses the POSIX version */

#include <pthread.h>

enum { kThreads = 4 };

static pthread_mutex_t mutexes[kThreads];
static int rounds, is_shared;
static _Atomic int line;

static void* work(void* number) {
  pthread_mutex_t* const mutex = &mutexes[is_shared ? 0 : *(int*)number];
  for (int round = 0; round < rounds; ++round) {
    line = __LINE__ + 1;
    pthread_mutex_lock(mutex);
    work_ms(2);
    pthread_mutex_unlock(mutex);
  }
  return NULL;
}

int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  rounds = argc > 1 ? atoi(argv[1]) : 25;
  int rank, size;
  start(&rank, &size, 2);
  is_shared = rank == 0;
  pthread_t threads[kThreads];
  int numbers[kThreads];
  for (int i = 0; i < kThreads; ++i) pthread_mutex_init(&mutexes[i], NULL);
  for (int i = 0; i < kThreads; ++i) {
    numbers[i] = i;
    if (pthread_create(&threads[i], NULL, work, &numbers[i]) != 0) MPI_Abort(MPI_COMM_WORLD, 1);
  }
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  MPI_Barrier(MPI_COMM_WORLD);
  announce("lock", 0, "pthread_mutex_lock", 0, 0, line);
  MPI_Finalize();
  return 0;
}
