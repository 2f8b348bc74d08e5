// SPDX-License-Identifier: Apache-2.0
// Software-defined events that this program counts itself: by known amounts between its calls and, through an attribute
// callback, inside of them, on its main thread and on two others. What is counted when is in ../check_counters.py.
#include <pthread.h>
#include <sde_lib.h>
#include <semaphore.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "subject.h"

enum { kThreads = 2, kPages = 100 };

static long long outside, inside, late;

/// Called by MPI_Comm_set_attr when it replaces the attribute: the increase lies inside that call.
static int count_inside(MPI_Comm comm, int key, void* value, void* extra) {
  (void)comm, (void)key, (void)extra;
  inside += *(const int*)value;
  return MPI_SUCCESS;
}

/// Touches pages that were never touched.
static void touch_fresh_pages(void) {
  char* const pages = mmap(NULL, kPages * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(pages != MAP_FAILED);
  REQUIRE(madvise(pages, kPages * 4096, MADV_NOHUGEPAGE) == 0);
  for (int i = 0; i < kPages; ++i) ((volatile char*)pages)[i * 4096] = 1;
}

static void* count_in_thread(void* argument) {
  const int me = *(const int*)argument;
  int flag = 0;
  MPI_Initialized(&flag);
  outside += 10 * (me + 1);
  MPI_Initialized(&flag);
  outside += 5;
  MPI_Initialized(&flag);
  return NULL;
}

/// Works for 30 ms of its CPU time, and is still there when the process ends.
static void* linger(void* ready) {
  int flag = 0;
  MPI_Initialized(&flag);
  struct timespec used = {0, 0};
  while (used.tv_sec == 0 && used.tv_nsec < 30000000) clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  sem_post(ready);
  for (;;) pause();
  return NULL;
}

int main(int argc, char** argv) {
  papi_handle_t handle = papi_sde_init("MINE");
  papi_sde_register_counter(handle, "OUTSIDE", PAPI_SDE_RO | PAPI_SDE_DELTA, PAPI_SDE_long_long, &outside);
  papi_sde_register_counter(handle, "INSIDE", PAPI_SDE_RO | PAPI_SDE_DELTA, PAPI_SDE_long_long, &inside);
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  look_around();

  int key = 0;
  int first = 3, second = 700;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, count_inside, &key, NULL);
  MPI_Comm_set_attr(MPI_COMM_SELF, key, &first);
  outside += 1000 + rank;
  MPI_Comm_set_attr(MPI_COMM_SELF, key, &second);  // inside += 3
  outside += 7;
  MPI_Comm_set_attr(MPI_COMM_SELF, key, &first);  // inside += 700
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < 50; ++i) {
    int in = 0, out = i;
    MPI_Request requests[2];
    outside += i;
    MPI_Irecv(&in, 1, MPI_INT, previous, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(&out, 1, MPI_INT, next, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    outside += 2;
    MPI_Sendrecv(&out, 1, MPI_INT, next, 2, &in, 1, MPI_INT, previous, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    REQUIRE(in == i);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  touch_fresh_pages();
  papi_sde_register_counter(handle, "LATE", PAPI_SDE_RO | PAPI_SDE_DELTA, PAPI_SDE_long_long, &late);
  late += 11;
  MPI_Comm_delete_attr(MPI_COMM_SELF, key);  // inside += 3
  MPI_Comm_free_keyval(&key);

  for (int i = 0; i < kThreads; ++i) {  // one after the other: they share the events
    pthread_t thread;
    pthread_create(&thread, NULL, count_in_thread, &i);
    pthread_join(thread, NULL);
  }
  sem_t ready;
  sem_init(&ready, 0, 0);
  pthread_t lingering;
  pthread_create(&lingering, NULL, linger, &ready);
  sem_wait(&ready);
  return end("counting");
}
