// SPDX-License-Identifier: Apache-2.0
// Calls of threads, locks and sleep whose numbers are known, none of them contended.
#include <pthread.h>
#include <semaphore.h>

#include "tally.h"

enum { kThreads = 3, kTimes = 500 };

static void* work(void* unused) {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
  sem_t semaphore;
  sem_init(&semaphore, 0, 0);
  for (int i = 0; i < kTimes; ++i) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    if (i % 5 == 0) pthread_mutex_trylock(&mutex), pthread_mutex_unlock(&mutex);
    pthread_rwlock_rdlock(&rwlock);
    pthread_rwlock_unlock(&rwlock);
    sem_post(&semaphore);
    sem_wait(&semaphore);
  }
  nanosleep(&(struct timespec){0, 1000}, NULL);
  sem_destroy(&semaphore);
  return unused;
}

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  pthread_t threads[kThreads];
  for (int i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  work(NULL);
  MPI_Barrier(MPI_COMM_WORLD);
  const long n = kThreads + 1;
  tally("calls", "pthread_create", kThreads);
  tally("calls", "pthread_join", kThreads);
  tally("calls", "nanosleep", n);
  tally("calls", "sem_init", n);
  tally("calls", "sem_destroy", n);
  tally("counts", "pthread_mutex_lock", n * kTimes);
  tally("counts", "pthread_mutex_trylock", n * kTimes / 5);
  tally("counts", "pthread_mutex_unlock", n * (kTimes + kTimes / 5));
  tally("counts", "pthread_rwlock_rdlock", n * kTimes);
  tally("counts", "pthread_rwlock_unlock", n * kTimes);
  tally("counts", "sem_post", n * kTimes);
  tally("counts", "sem_wait", n * kTimes);
  tally("acquired", "mutex", n * (kTimes + kTimes / 5));
  tally("acquired", "read", n * kTimes);
  tally("acquired", "semaphore", n * kTimes);
  print_tally();
  MPI_Finalize();
  return 0;
}
