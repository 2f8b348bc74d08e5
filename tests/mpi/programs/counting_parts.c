// SPDX-License-Identifier: Apache-2.0
// The program's own regions, markers and events, a contended lock, sleep and threads, with software-defined events that
// count by known amounts before, in and behind each of them. ../check_counters.py has the amounts.
#include <fcntl.h>
#include <meridian/user.h>
#include <pthread.h>
#include <sched.h>
#include <sde_lib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "subject.h"

static long long outside, inside;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int main_tid, thread_tid;

/// Called by MPI_Comm_set_attr when it replaces the attribute: the increase lies inside that call.
static int count_inside(MPI_Comm comm, int key, void* value, void* extra) {
  (void)comm, (void)key, (void)extra;
  inside += *(const int*)value;
  return MPI_SUCCESS;
}

/// Returns when the kernel says that a thread of this process sleeps.
static void wait_until_asleep(const int* tid) {
  for (;; sched_yield()) {
    const int number = __atomic_load_n(tid, __ATOMIC_ACQUIRE);
    char path[64], text[512] = "";
    if (number == 0) continue;
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", number);
    const int file = open(path, O_RDONLY);
    if (file < 0) continue;
    const ssize_t length = read(file, text, sizeof text - 1);
    close(file);
    const char* const state = length > 0 ? strrchr(text, ')') : NULL;
    if (state != NULL && state[2] == 'S') return;
  }
}

static void* wait_for_lock(void* unused) {
  (void)unused;
  __atomic_store_n(&thread_tid, (int)syscall(SYS_gettid), __ATOMIC_RELEASE);
  pthread_mutex_lock(&mutex);  // inside += 7
  pthread_mutex_unlock(&mutex);
  wait_until_asleep(&main_tid);
  outside += 5;  // inside of pthread_join
  return NULL;
}

static void use_regions(int key) {
  int second = 700;
  outside += 1;
  MERIDIAN_REGION_BEGIN("outer");
  outside += 10;
  MERIDIAN_MARKER("mark");
  outside += 100;
  {
    MERIDIAN_REGION("inner");
    outside += 1000 * (rank + 1);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, &second);  // inside += 3
    outside += 20;
  }
  MERIDIAN_EVENT(pool, STEAL, i64(rank), text("why"));
  outside += 300;
  MERIDIAN_COUNTER("level", 2.5);
  for (int i = 0; i < 100; ++i) {  // free: counted, and nothing is read
    pthread_mutex_lock(&mutex);
    outside += 40;
    pthread_mutex_unlock(&mutex);
  }
  MERIDIAN_REGION_BEGIN("outer");
  outside += 50000;
  MERIDIAN_REGION_END("outer");
  outside += 600;
  MERIDIAN_REGION_END("outer");
  MPI_Comm_delete_attr(MPI_COMM_SELF, key);  // inside += 700
}

int main(int argc, char** argv) {
  papi_handle_t handle = papi_sde_init("MINE");
  papi_sde_register_counter(handle, "OUTSIDE", PAPI_SDE_RO | PAPI_SDE_DELTA, PAPI_SDE_long_long, &outside);
  papi_sde_register_counter(handle, "INSIDE", PAPI_SDE_RO | PAPI_SDE_DELTA, PAPI_SDE_long_long, &inside);
  int provided = 0, key = 0, first = 3;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  look_around();
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, count_inside, &key, NULL);
  MPI_Comm_set_attr(MPI_COMM_SELF, key, &first);
  use_regions(key);

  outside += 2;
  nanosleep(&(struct timespec){0, 1000000}, NULL);
  outside += 4;
  pthread_mutex_lock(&mutex);
  pthread_t thread;
  pthread_create(&thread, NULL, wait_for_lock, NULL);
  wait_until_asleep(&thread_tid);
  inside += 7;
  outside += 8;
  pthread_mutex_unlock(&mutex);
  __atomic_store_n(&main_tid, (int)syscall(SYS_gettid), __ATOMIC_RELEASE);
  pthread_join(thread, NULL);
  MPI_Comm_free_keyval(&key);
  return end("parts");
}
