// SPDX-License-Identifier: Apache-2.0
// Waits with a known waiter, holder and count: a thread unlocks only after the other one waits.

#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tally.h"

enum { kHeldByMain = 5, kHeldByWorker = 3 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t barrier;

/// 2 is the C library's value for a mutex with a waiting thread.
static void unlock_when_wanted(void) {
  while (__atomic_load_n(&mutex.__data.__lock, __ATOMIC_ACQUIRE) != 2) sched_yield();
  pthread_mutex_unlock(&mutex);
}

static void take(int holds) {
  if (holds) pthread_mutex_lock(&mutex);
  pthread_barrier_wait(&barrier);
  if (holds) {
    unlock_when_wanted();
  } else {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
  }
  pthread_barrier_wait(&barrier);
}

static void holder(long count) {
  char tid[24];
  snprintf(tid, sizeof tid, "%ld", (long)syscall(SYS_gettid));
  tally_text_only("holder", tid, count);
}

static void* work(void* unused) {
  for (int i = 0; i < kHeldByMain; ++i) take(0);
  for (int i = 0; i < kHeldByWorker; ++i) take(1);
  holder(kHeldByWorker);
  return unused;
}

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  pthread_t thread;
  pthread_barrier_init(&barrier, NULL, 2);
  pthread_create(&thread, NULL, work, NULL);
  for (int i = 0; i < kHeldByMain; ++i) take(1);
  for (int i = 0; i < kHeldByWorker; ++i) take(0);
  pthread_join(thread, NULL);
  holder(kHeldByMain);
  pthread_barrier_destroy(&barrier);
  tally("acquired", "mutex", 2 * (kHeldByMain + kHeldByWorker));
  tally("waited", "mutex", kHeldByMain + kHeldByWorker);
  tally("calls", "pthread_create", 1);
  tally("calls", "pthread_join", 1);
  tally("calls", "pthread_barrier_wait", 4 * (kHeldByMain + kHeldByWorker));
  print_tally();
  MPI_Finalize();
  return 0;
}
