// SPDX-License-Identifier: Apache-2.0
// A program with guests: libraries in front of the C library, plugins that look to their own libraries first,
// destructors that ask MPI.
//
// guests preloads | plugins PLUGIN
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>

#include "manners.h"

enum { LOCKS = 1000 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int turn;

static int is_finalized(void) {
  int begun = 0, ended = 0, version = 0, subversion = 0;
  MPI_Initialized(&begun);
  MPI_Finalized(&ended);
  MPI_Get_version(&version, &subversion);
  return 100 * (version > 0) + 10 * begun + ended;
}

static void at_exit(void) { say("at exit: %d", is_finalized()); }
__attribute__((destructor)) static void at_the_end(void) { say("in a destructor: %d", is_finalized()); }

static void* answer(void* unused) {
  pthread_mutex_lock(&mutex);
  while (turn != 1) pthread_cond_wait(&condition, &mutex);
  turn = 2;
  pthread_cond_signal(&condition);
  pthread_mutex_unlock(&mutex);
  return unused;
}

static void preloads(void) {
  void** const objects = dlsym(RTLD_DEFAULT, "watcher_objects");
  _Atomic long* const counts = dlsym(RTLD_DEFAULT, "watcher_counts");
  _Atomic long* const bytes = dlsym(RTLD_DEFAULT, "watcher_bytes");
  if (objects == NULL || counts == NULL || bytes == NULL) {
    say("nobody watches");
    return;
  }
  objects[0] = &mutex;
  objects[1] = &condition;
  for (int i = 0; i < LOCKS; ++i) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
  }
  say("seen: %ld locks, %ld tries, %ld unlocks", counts[0], counts[1], counts[2]);
  // The other thread holds the mutex when it begins to wait: it waits by the time that this one has got it.
  pthread_t thread;
  pthread_create(&thread, NULL, answer, NULL);
  while (counts[3] == 0) usleep(100);
  pthread_mutex_lock(&mutex);
  turn = 1;
  pthread_cond_signal(&condition);
  while (turn != 2) pthread_cond_wait(&condition, &mutex);
  pthread_mutex_unlock(&mutex);
  pthread_join(thread, NULL);
  say("seen: waits %s, signals %ld", counts[3] >= 2 ? "of both" : "are missing", counts[4]);
  const long bytes_before = *bytes;
  char* volatile const memory = malloc(12345);
  memset(memory, 1, 12345);
  say("seen: the allocation %d %d", *bytes - bytes_before >= 12345, memory[12344]);
  free(memory);
}

static void plugins(const char* path) {
  for (int i = 0; i < 3; ++i) {
    void* const handle = dlopen(path, RTLD_NOW | (i == 1 ? RTLD_DEEPBIND : 0));
    int (*const run)(void) = handle != NULL ? (int (*)(void))(uintptr_t)dlsym(handle, "plugin_run") : NULL;
    say("plugin: %d", run != NULL ? run() : -1);
    if (handle != NULL) say("dlclose: %d", dlclose(handle));
  }
}

int main(int argc, char** argv) {
  atexit(at_exit);
  say("before: %d", is_finalized());
  begin(&argc, &argv);
  exchange();
  if (strcmp(argv[1], "preloads") == 0) preloads();
  if (strcmp(argv[1], "plugins") == 0) plugins(argv[2]);
  exchange();
  MPI_Finalize();
  say("after: %d", is_finalized());
  return last_code(7);
}
