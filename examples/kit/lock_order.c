// SPDX-License-Identifier: Apache-2.0
/* Lock order: two threads take the same two mutexes, each in an order of its own. They never meet, because one of them
 * begins when the other one has ended, so this run ends. MERIDIAN_LOCKS=all records enough to see it.
 * lock_order [rounds = 5] */
#include "examples/kit/kit.h" /* first: it chooses the POSIX version */

#include <pthread.h>

static pthread_mutex_t from = PTHREAD_MUTEX_INITIALIZER, to = PTHREAD_MUTEX_INITIALIZER;
static int rounds, line;

static void* deposit(void* unused) {
  for (int round = 0; round < rounds; ++round) {
    pthread_mutex_lock(&from);
    pthread_mutex_lock(&to);
    work_ms(1);
    pthread_mutex_unlock(&to);
    pthread_mutex_unlock(&from);
  }
  return unused;
}

static void* withdraw(void* unused) {
  for (int round = 0; round < rounds; ++round) {
    pthread_mutex_lock(&to);
    line = __LINE__ + 1;
    pthread_mutex_lock(&from);
    work_ms(1);
    pthread_mutex_unlock(&from);
    pthread_mutex_unlock(&to);
  }
  return unused;
}

int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  rounds = argc > 1 ? atoi(argv[1]) : 5;
  int rank, size;
  start(&rank, &size, 1);
  void* (*const work[])(void*) = {deposit, withdraw};
  for (int i = 0; i < 2; ++i) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, work[i], NULL) != 0) MPI_Abort(MPI_COMM_WORLD, 1);
    pthread_join(thread, NULL);
  }
  announce("lock.order", 0, "pthread_mutex_lock", 0, 0, line);
  MPI_Finalize();
  return 0;
}
