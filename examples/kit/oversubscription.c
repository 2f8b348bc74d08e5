// SPDX-License-Identifier: Apache-2.0
/* More threads than processors: each rank computes with as many threads as the machine has processors, so every thread
 * has a part of a processor.
 * oversubscription [rounds = 10] */
#include "examples/kit/kit.h" /* first: it chooses the POSIX version */

#include <pthread.h>
#include <unistd.h>

enum { kMostThreads = 64 };

/* 20 ms of processor time, not of wall time. */
static void* work(void* unused) {
  struct timespec now;
  do clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  while ((double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6 < 20);
  return unused;
}

int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  const int rounds = argc > 1 ? atoi(argv[1]) : 10;
  int rank, size;
  start(&rank, &size, 2);
  long count = sysconf(_SC_NPROCESSORS_ONLN);
  if (count > kMostThreads) count = kMostThreads;
  pthread_t threads[kMostThreads];
  for (int round = 0; round < rounds; ++round) {
    for (long i = 0; i < count; ++i)
      if (pthread_create(&threads[i], NULL, work, NULL) != 0) MPI_Abort(MPI_COMM_WORLD, 1);
    for (long i = 0; i < count; ++i) pthread_join(threads[i], NULL);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  announce("lack of processors", -1, "none", 0, -1, 0);
  MPI_Finalize();
  return 0;
}
