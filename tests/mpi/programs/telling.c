// SPDX-License-Identifier: Apache-2.0
// A program whose summary is known: rank 0 is late because its main thread waits for a mutex; short threads call MPI
// beside the main threads. Each rank prints what it measured itself: seconds between MPI_Init and MPI_Finalize, and the
// part of them in MPI.
#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include "subject.h"

enum { kShortThreads = 4, kDoubles = 1000 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile int is_taken = 0;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void* call_once_only(void* argument) {
  int flag = 0;
  MPI_Iprobe(MPI_ANY_SOURCE, 77, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
  return argument;
}

static void* hold(void* argument) {
  pthread_mutex_lock(&mutex);
  is_taken = 1;
  usleep(400000);
  pthread_mutex_unlock(&mutex);
  return argument;
}

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
  look_around();
  const double begin_s = now();
  pthread_t thread;
  for (int i = 0; i < kShortThreads; ++i) {
    REQUIRE(pthread_create(&thread, NULL, call_once_only, NULL) == 0);
    pthread_join(thread, NULL);
  }
  if (rank == 0) {
    REQUIRE(pthread_create(&thread, NULL, hold, NULL) == 0);
    while (!is_taken) usleep(1000);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
  } else {
    usleep(50000);
  }
  double* const data = calloc(2 * (size_t)size * kDoubles, sizeof *data);
  const double mpi_s = now();
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Alltoall(data, kDoubles, MPI_DOUBLE, data + size * kDoubles, kDoubles, MPI_DOUBLE, MPI_COMM_WORLD);
  const double end_s = now();
  free(data);
  printf("%d %.6f %.6f\n", rank, end_s - begin_s, end_s - mpi_s);
  fflush(stdout);
  MPI_Finalize();
  return 0;
}
