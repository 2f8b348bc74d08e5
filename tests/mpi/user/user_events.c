// SPDX-License-Identifier: Apache-2.0
/* Every kind of user event, as often as check_user.py says. user_events PLUGIN_A PLUGIN_B */
#include <dlfcn.h>
#include <meridian/user.h>
#include <mpi.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

enum { kThreads = 4, kTicks = 100 };

static int rank, size;
static jmp_buf back;

static void* tick(void* unused) {
  for (int i = 0; i < kTicks; ++i) MERIDIAN_MARKER("tick");
  return unused;
}

static int delete_attribute(MPI_Comm comm, int key, void* value, void* extra) {
  (void)comm, (void)key, (void)value, (void)extra;
  MERIDIAN_MARKER("nested"); /* inside an MPI call: counted, not recorded */
  return MPI_SUCCESS;
}

static void solve(int step) {
  MERIDIAN_REGION("solve");
  MERIDIAN_COUNTER("residual", 4.0 / (1 << step));
  for (int i = 0; i < 2; ++i) {
    MERIDIAN_REGION("inner");
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MERIDIAN_EVENT(pool, STEAL_REQUEST, i64(rank), i64(-step), text(step == 0 ? "" : "a text of 25 characters"),
                 f64(step / 2.0));
  MERIDIAN_FIRE(pool, WORKER_SLEEP, step);
}

static void jump(void) {
  MERIDIAN_REGION_BEGIN("left");
  longjmp(back, 1);
}

static int use_plugin(const char* path) {
  void* const plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (plugin == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    exit(1);
  }
  int (*work)(int);
  *(void**)&work = dlsym(plugin, "plugin_work");
  int value = 0;
  for (int i = 0; i < 5; ++i) value = work(value);
  dlclose(plugin);
  return value;
}

int main(int argc, char** argv) {
  MERIDIAN_MARKER("before MPI_Init");
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int step = 0; step < 3; ++step) solve(step);
  for (int i = 0; i < 2; ++i) MERIDIAN_SEND("queue", (rank + 1) % size, 7, 100 + i);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < 2; ++i) MERIDIAN_RECV("queue", (rank + size - 1) % size, 7, 100 + i);

  pthread_t threads[kThreads];
  for (int i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, tick, NULL);
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  const int value = use_plugin(argv[1]) + use_plugin(argv[2]);

  MERIDIAN_REGION_BEGIN("around");
  if (setjmp(back) == 0) jump();
  MERIDIAN_REGION_END("around");
  MERIDIAN_REGION_END("alone");

  MERIDIAN_OFF();
  MPI_Barrier(MPI_COMM_WORLD);
  MERIDIAN_MARKER("while off");
  MERIDIAN_ON();
  MERIDIAN_LEVEL_OFF("pool");
  for (int i = 0; i < 10; ++i) MERIDIAN_EVENT(pool, SWITCHED, i64(i));
  MERIDIAN_LEVEL_ON("pool.SWITCH*");
  for (int i = 0; i < 2; ++i) MERIDIAN_EVENT(pool, SWITCHED, i64(i));

  int key;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_attribute, &key, NULL);
  MPI_Comm_set_attr(MPI_COMM_WORLD, key, &key);
  MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
  MPI_Comm_free_keyval(&key);
  MPI_Pcontrol(3, "controlled");
  MPI_Pcontrol(-3, "controlled");
  MPI_Finalize();
  MERIDIAN_MARKER("after MPI_Finalize");
  if (rank == 0) printf("user_events: %d\n", value);
  return 0;  // a launcher that sees another code ends the other ranks early
}
