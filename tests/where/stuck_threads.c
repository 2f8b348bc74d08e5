// SPDX-License-Identifier: Apache-2.0
// stuck_threads HOW: a program of two ranks with threads that never ends by itself.
//   mutexes   two threads take two mutexes in opposite order; the first thread waits for them to end
//   rwlocks   the same with read-write locks, each thread has read one and wants to write the other
//   join      the first thread has a mutex and waits for the end of a thread that wants it
//   twice     a thread wants a mutex that it has
//   mixed     rank 0 receives from rank 1, whose first thread wants a mutex of a thread that receives from rank 0
//   pool      both ranks receive from each other, and have a thread that waits for work
//   busy      a thread wants a mutex of one that computes for ever: no deadlock
//   asleep    both wait for a pipe outside of MPI, and have a thread that does
//   ended     a thread wants a mutex of one that has ended with it
#define _GNU_SOURCE
#include <mpi.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t mutexes[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_rwlock_t locks[2] = {PTHREAD_RWLOCK_INITIALIZER, PTHREAD_RWLOCK_INITIALIZER};
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t both_have_one;
static int rank;

static void receive(int from) {
  int got = 0;
  MPI_Recv(&got, 1, MPI_INT, from, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);  // of a thread or the first
}

static void* take_mutexes(void* which) {
  const int first = which != NULL;
  pthread_mutex_lock(&mutexes[first]);
  pthread_barrier_wait(&both_have_one);
  pthread_mutex_lock(&mutexes[1 - first]);  // of the other
  return NULL;
}

static void* take_rwlocks(void* which) {
  const int first = which != NULL;
  pthread_rwlock_rdlock(&locks[first]);
  pthread_barrier_wait(&both_have_one);
  pthread_rwlock_wrlock(&locks[1 - first]);
  return NULL;
}

static void* take_mutex(void* unused) {
  pthread_mutex_lock(&mutexes[0]);
  return unused;
}

static void* take_mutex_twice(void* unused) {
  pthread_mutex_lock(&mutexes[0]);
  pthread_mutex_lock(&mutexes[0]);
  return unused;
}

static void* take_mutex_and_receive(void* unused) {
  pthread_mutex_lock(&mutexes[0]);
  pthread_barrier_wait(&both_have_one);
  receive(0);
  return unused;
}

static void* take_mutex_and_compute(void* unused) {
  pthread_mutex_lock(&mutexes[0]);
  pthread_barrier_wait(&both_have_one);
  for (volatile double x = 1; x > 0;) x = x * 0.5 + 1;
  return unused;
}

static void* wait_for_work(void* unused) {
  pthread_mutex_lock(&mutexes[0]);
  for (;;) pthread_cond_wait(&work, &mutexes[0]);
  return unused;
}

static void* wait_for_input(void* unused) {
  int ends[2];
  if (pipe(ends) != 0) return NULL;
  struct pollfd input = {ends[0], POLLIN, 0};
  poll(&input, 1, -1);  // for good
  return unused;
}

int main(int argc, char** argv) {
  int provided = 0;
  const char* how = argc > 1 ? argv[1] : "";
  pthread_t threads[2];
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  if (provided != MPI_THREAD_MULTIPLE) return 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    printf("ready\n");
    fflush(stdout);
  }
  pthread_barrier_init(&both_have_one, NULL, 2);
  if (strcmp(how, "mutexes") == 0 || strcmp(how, "rwlocks") == 0) {
    void* (*const take)(void*) = how[0] == 'm' ? take_mutexes : take_rwlocks;
    pthread_create(&threads[0], NULL, take, NULL);
    pthread_create(&threads[1], NULL, take, &rank);
    pthread_join(threads[0], NULL);
  } else if (strcmp(how, "join") == 0) {
    pthread_mutex_lock(&mutexes[0]);
    pthread_create(&threads[0], NULL, take_mutex, NULL);
    pthread_join(threads[0], NULL);
  } else if (strcmp(how, "twice") == 0) {
    pthread_create(&threads[0], NULL, take_mutex_twice, NULL);
    pthread_join(threads[0], NULL);
  } else if (strcmp(how, "mixed") == 0) {
    if (rank == 0) receive(1);
    pthread_create(&threads[0], NULL, take_mutex_and_receive, NULL);
    pthread_barrier_wait(&both_have_one);
    pthread_mutex_lock(&mutexes[0]);
  } else if (strcmp(how, "pool") == 0) {
    pthread_create(&threads[0], NULL, wait_for_work, NULL);
    receive(1 - rank);
  } else if (strcmp(how, "busy") == 0) {
    pthread_create(&threads[0], NULL, take_mutex_and_compute, NULL);
    pthread_barrier_wait(&both_have_one);
    pthread_mutex_lock(&mutexes[0]);
  } else if (strcmp(how, "asleep") == 0) {
    pthread_create(&threads[0], NULL, wait_for_input, NULL);
    wait_for_input(NULL);
  } else if (strcmp(how, "ended") == 0) {
    pthread_create(&threads[0], NULL, take_mutex, NULL);
    pthread_join(threads[0], NULL);
    pthread_mutex_lock(&mutexes[0]);
  }
  MPI_Finalize();
  return 0;
}
