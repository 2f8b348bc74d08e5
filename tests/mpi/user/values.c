// SPDX-License-Identifier: Apache-2.0
// User events with values of each type, which check_values.py computes by itself: work stealing as Tumit records it (level 21 with the
// events 0, 1 and 2), a text of any length, a counter, in two threads.
#include <meridian/user.h>
#include <mpi.h>
#include <pthread.h>
#include <string.h>

enum { kSteals = 5 };

static void* counts(void* argument) {
  for (int i = 0; i < 3; ++i) MERIDIAN_COUNTER("load", *(int*)argument + i * 0.25);
  return NULL;
}

int main(int argc, char** argv) {
  int rank, size;
  pthread_t thread;
  char why[1100];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  pthread_create(&thread, NULL, counts, &rank);
  pthread_join(thread, NULL);
  for (int i = 0; i < kSteals; ++i) {
    const int thief_eid = 10 * rank + i, victim_id = 10 * ((rank + 1) % size) + i;
    const unsigned long long tasks = i == 0 ? 18446744073709551615ULL : (unsigned long long)i;
    const double weight = i * 0.5;
    memset(why, 'x', sizeof why);
    why[i == kSteals - 1 ? sizeof why - 1 : (size_t)i] = 0;
    MERIDIAN_EVENT(21, 0, i64(thief_eid));
    MERIDIAN_EVENT(21, 1, i64(thief_eid), i64(victim_id));
    MERIDIAN_EVENT(21, 2, i64(thief_eid));
    MERIDIAN_EVENT(pool, TAKEN, u64(tasks), f64(weight), text(why), i64(rank));
    MERIDIAN_SEND("layer", (rank + 1) % size, i, 10);
    MPI_Barrier(MPI_COMM_WORLD);
    MERIDIAN_RECV("layer", (rank + size - 1) % size, i, 10);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
