// SPDX-License-Identifier: Apache-2.0
// MPI_THREAD_MULTIPLE: every thread sends to and receives from every rank, some through one lock that all share, some
// at once. The content of each message says from whom it is, so that the program itself knows the right partners.

#include <pthread.h>
#include <stdlib.h>

#include "tally.h"

enum { kThreads = 4, kRounds = 50 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int rank, ranks;
static long wrong, bytes[kThreads];

static void* talk(void* number) {
  const int me = (int)(long)number;
  for (int round = 0; round < kRounds; ++round) {
    for (int step = 0; step < ranks; ++step) {
      const int to = (rank + step) % ranks, from = (rank - step + ranks) % ranks;
      const int count = 1 + (me + round + to) % 7, expected = 1 + (me + round + rank) % 7;
      int sent[8], got[8] = {-1, -1};
      for (int i = 0; i < count; ++i) sent[i] = (rank * kThreads + me) * kRounds + round;
      MPI_Request requests[2];
      MPI_Status statuses[2];
      MPI_Irecv(got, 8, MPI_INT, from, me, MPI_COMM_WORLD, &requests[0]);
      pthread_mutex_lock(&mutex);  // the library's own locks are taken under the program's
      MPI_Isend(sent, count, MPI_INT, to, me, MPI_COMM_WORLD, &requests[1]);
      pthread_mutex_unlock(&mutex);
      MPI_Waitall(2, requests, statuses);
      int length = 0;
      MPI_Get_count(&statuses[0], MPI_INT, &length);
      if (length != expected || got[0] != (from * kThreads + me) * kRounds + round)
        __atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
      bytes[me] += 4 * length;
    }
  }
  return number;
}

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (provided < MPI_THREAD_MULTIPLE) abort();
  pthread_t threads[kThreads];
  for (long i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, talk, (void*)i);
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  result("wrong", wrong);
  tally("acquired", "mutex", (long)kThreads * kRounds * ranks);
  tally("calls", "pthread_create", kThreads);
  tally("calls", "pthread_join", kThreads);
  tally("messages", "received", (long)kThreads * kRounds * ranks);
  for (int i = 0; i < kThreads; ++i) tally("messages", "bytes", bytes[i]);
  print_tally();
  MPI_Finalize();
  return 0;
}
