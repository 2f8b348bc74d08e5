// SPDX-License-Identifier: Apache-2.0
// Calls from many stacks: recursion, callbacks of libraries, frames of all shapes, threads.
#define _GNU_SOURCE
#include <alloca.h>
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "meridian/user.h"
#include "paths.h"

__attribute__((noinline)) static void meet(void) {
  CALL("MPI_Barrier", MPI_Barrier(MPI_COMM_WORLD));
  KEEP;
}

__attribute__((noinline)) static void look(void) {
  int flag = 0;
  CALL("MPI_Initialized", MPI_Initialized(&flag));
  KEEP;
}

__attribute__((noinline)) static void descend(int levels) {
  if (levels > 0)
    descend(levels - 1);
  else
    look();
  KEEP;
}

__attribute__((noinline)) static void with_variable_frame(size_t bytes) {
  char* const room = alloca(bytes);
  memset(room, 1, bytes);
  __asm__ volatile("" : : "r"(room) : "memory");
  look();
  KEEP;
}

__attribute__((noinline)) static void with_aligned_frame(void) {
  char room[256] __attribute__((aligned(64)));
  __asm__ volatile("" : : "r"(room) : "memory");
  look();
  __asm__ volatile("" : : "r"(room) : "memory");
}

static int compare(const void* a, const void* b) {
  look();
  return *(const int*)a - *(const int*)b;
}

__attribute__((noinline)) static void requests(void) {
  int sent = 1, received = 0;
  MPI_Request list[2];
  CALL("MPI_Irecv", MPI_Irecv(&received, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &list[0]));
  CALL("MPI_Isend", MPI_Isend(&sent, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &list[1]));
  CALL("MPI_Waitall", MPI_Waitall(2, list, MPI_STATUSES_IGNORE));
  KEEP;
}

__attribute__((noinline)) static void* work(void* argument) {
  for (int i = 0; i < 3; ++i) look();
  descend(*(const int*)argument);
  CALL("usleep", usleep(1));
  return NULL;
}

__attribute__((noinline)) static void use_threads(void) {
  pthread_t threads[3];
  int levels[3] = {0, 5, 9};
  for (int i = 0; i < 3; ++i) CALL("pthread_create", pthread_create(&threads[i], NULL, &work, &levels[i]));
  for (int i = 0; i < 3; ++i) CALL("pthread_join", pthread_join(threads[i], NULL));
  KEEP;
}

int main(int argc, char** argv) {
  int provided = 0, numbers[] = {3, 1, 2};
  CALL("MPI_Init_thread", MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided));
  if (argc > 1) {  // that many different stacks
    const int count = atoi(argv[1]);
    for (int i = 0; i < count; ++i) descend(i % 200);
  }
  for (int i = 0; i < 4; ++i) meet();
  for (int i = 0; i < 50; i += 7) descend(i);
  for (size_t i = 1; i < 3000; i = i * 3 + 1) with_variable_frame(i);
  with_aligned_frame();
  qsort(numbers, 3, sizeof numbers[0], &compare);
  library_call(0, &meet);
  library_call(4, &meet);
  blind(&meet);
  requests();
  if (provided == MPI_THREAD_MULTIPLE) use_threads();
  note_path("meridian_event");
  MERIDIAN_MARKER("stacks.mark");
  CALL("MPI_Finalize", MPI_Finalize());
  return 0;
}
