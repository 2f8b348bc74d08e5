// SPDX-License-Identifier: Apache-2.0
// Eight threads fight for locks of several kinds, in one order, a hundred thousand times each: no thread is lost,
// nothing hangs, and every acquisition is recorded.

#include <pthread.h>
#include <semaphore.h>

#include "tally.h"

enum { kThreads = 8, kRounds = 25000 };  // four locks a round

static pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER, inner = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t semaphore;
static long under_outer, under_inner, written, taken, tried[kThreads], read_[kThreads];

static void* fight(void* number) {
  const long me = (long)number;
  pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
  unsigned random = (unsigned)me * 2654435761u + 1;
  for (int i = 0; i < kRounds; ++i) {
    random = random * 1664525u + 1013904223u;
    pthread_mutex_lock(&outer);
    ++under_outer;
    pthread_mutex_lock(&inner);
    ++under_inner;
    pthread_mutex_unlock(&outer);
    pthread_mutex_unlock(&inner);
    if ((random >> 28) == 0) {
      pthread_rwlock_wrlock(&rwlock);
      ++written;
    } else {
      pthread_rwlock_rdlock(&rwlock);
      ++read_[me];
    }
    pthread_rwlock_unlock(&rwlock);
    if ((random >> 27 & 1) != 0) {
      sem_wait(&semaphore);
      __atomic_fetch_add(&taken, 1, __ATOMIC_RELAXED);
      sem_post(&semaphore);
    } else if (pthread_mutex_trylock(&own) == 0) {
      ++tried[me];
      pthread_mutex_unlock(&own);
    }
  }
  return number;
}

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  sem_init(&semaphore, 0, 2);
  pthread_t threads[kThreads];
  for (long i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, fight, (void*)i);
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  long all_tried = 0, all_read = 0;
  for (int i = 0; i < kThreads; ++i) {
    all_tried += tried[i];
    all_read += read_[i];
  }
  result("under the outer", under_outer);
  result("under the inner", under_inner);
  result("read and written", all_read + written);
  result("taken and tried", taken + all_tried);
  tally("acquired", "mutex", under_outer + under_inner + all_tried);
  tally("acquired", "write", written);
  tally("acquired", "read", all_read);
  tally("acquired", "semaphore", taken);
  tally("calls", "pthread_create", kThreads);
  tally("calls", "pthread_join", kThreads);
  print_tally();
  MPI_Finalize();
  return 0;
}
