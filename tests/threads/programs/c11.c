// SPDX-License-Identifier: Apache-2.0
// C11 threads, whose functions are the C library's own and do not go through POSIX's.

#include <threads.h>

#include "tally.h"

enum { kThreads = 3, kRounds = 200 };

static mtx_t mutex, deep;
static cnd_t condition;
static once_flag once = ONCE_FLAG_INIT;
static long guarded, runs, turn;

static void run_once(void) { ++runs; }

static int work(void* number) {
  call_once(&once, run_once);
  for (int i = 0; i < kRounds; ++i) {
    mtx_lock(&mutex);
    ++guarded;
    mtx_unlock(&mutex);
  }
  mtx_lock(&deep);
  mtx_lock(&deep);
  mtx_unlock(&deep);
  mtx_unlock(&deep);
  const struct timespec ms = {0, 1000000};
  thrd_sleep(&ms, NULL);
  mtx_lock(&mutex);
  while (turn != (long)number) cnd_wait(&condition, &mutex);
  ++turn;
  cnd_broadcast(&condition);
  mtx_unlock(&mutex);
  if ((long)number == 1) thrd_exit(41);
  return 40 + (int)(long)number;
}

static int try_it(void* unused) {
  (void)unused;
  struct timespec soon = after_ms(CLOCK_REALTIME, 5);
  result("mtx_trylock busy", mtx_trylock(&mutex));
  result("mtx_timedlock", mtx_timedlock(&deep, &soon));
  return 0;
}

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  result("mtx_init", mtx_init(&mutex, mtx_plain));
  result("mtx_init", mtx_init(&deep, mtx_timed | mtx_recursive));
  result("cnd_init", cnd_init(&condition));
  thrd_t threads[kThreads];
  for (long i = 0; i < kThreads; ++i) result("thrd_create", thrd_create(&threads[i], work, (void*)i));
  for (int i = 0; i < kThreads; ++i) {
    int value = 0;
    result("thrd_join", thrd_join(threads[i], &value));
    result("its value", value);
  }
  result("mtx_lock", mtx_lock(&mutex));
  result("mtx_lock", mtx_lock(&deep));
  thrd_t thread;
  thrd_create(&thread, try_it, NULL);
  thrd_join(thread, NULL);
  struct timespec soon = after_ms(CLOCK_REALTIME, 3);
  result("cnd_timedwait", cnd_timedwait(&condition, &mutex, &soon));
  result("cnd_signal", cnd_signal(&condition));
  mtx_unlock(&deep);
  mtx_unlock(&mutex);
  mtx_destroy(&mutex);
  mtx_destroy(&deep);
  cnd_destroy(&condition);
  result("guarded", guarded);
  result("runs", runs);
  tally("acquired", "mutex", guarded + kThreads * 3 + 2);
  tally("calls", "mtx_init", 2);
  tally("calls", "mtx_destroy", 2);
  tally("calls", "cnd_init", 1);
  tally("calls", "cnd_destroy", 1);
  tally("calls", "cnd_timedwait", 1);
  tally("calls", "thrd_create", kThreads + 1);
  tally("calls", "thrd_join", kThreads + 1);
  tally("calls", "thrd_exit", 1);
  tally("calls", "thrd_sleep", kThreads);
  print_tally();
  MPI_Finalize();
  end_with(5);
}
