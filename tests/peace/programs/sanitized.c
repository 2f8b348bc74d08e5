// SPDX-License-Identifier: Apache-2.0
// Threads that hand data on in every way that a sanitizer has to see, beside messages: without a flaw, or with the one
// that is asked for.
//
// sanitized none|race|overflow|leak
#include <mpi.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 4, ROUNDS = 200, LENGTH = 64 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static pthread_cond_t emptied = PTHREAD_COND_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_spinlock_t spin;
static pthread_barrier_t barrier;
static sem_t tokens;
// None of these is atomic: a sanitizer that misses the synchronization reports races.
static long by_mutex, by_trylock, by_rwlock, by_spin, by_once, by_semaphore, by_barrier[THREADS], racing;
static int* box;

static void initialize(void) { by_once = 42; }

static void* work(void* index_) {
  const int index = *(int*)index_;
  for (int i = 0; i < ROUNDS; ++i) {
    pthread_mutex_lock(&mutex);
    ++by_mutex;
    pthread_mutex_unlock(&mutex);
    while (pthread_mutex_trylock(&mutex) != 0) sched_yield();
    ++by_trylock;
    pthread_mutex_unlock(&mutex);
    pthread_rwlock_wrlock(&rwlock);
    ++by_rwlock;
    pthread_rwlock_unlock(&rwlock);
    pthread_rwlock_rdlock(&rwlock);
    const long seen = by_rwlock;
    pthread_rwlock_unlock(&rwlock);
    pthread_spin_lock(&spin);
    by_spin += seen > 0;
    pthread_spin_unlock(&spin);
  }
  pthread_once(&once, initialize);
  by_barrier[index] = by_once;
  pthread_barrier_wait(&barrier);
  long sum = 0;
  for (int i = 0; i < THREADS; ++i) sum += by_barrier[i];
  sem_wait(&tokens);
  by_semaphore += sum;
  sem_post(&tokens);
  int* const value = malloc(sizeof *value);
  *value = index;
  return value;
}

static void* produce(void* unused) {
  for (int i = 0; i < ROUNDS; ++i) {
    pthread_mutex_lock(&mutex);
    while (box != NULL) {
      struct timespec until;
      clock_gettime(CLOCK_REALTIME, &until);
      until.tv_sec += 100;
      pthread_cond_timedwait(&emptied, &mutex, &until);
    }
    box = malloc(sizeof *box);
    *box = i;
    pthread_cond_signal(&filled);
    pthread_mutex_unlock(&mutex);
  }
  return unused;
}

static void* race(void* unused) {
  for (int i = 0; i < ROUNDS; ++i) ++racing;
  return unused;
}

static pthread_t start(void* (*routine)(void*), void* argument) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, routine, argument) != 0) abort();
  return thread;
}

static long consume(void) {
  long sum = 0;
  const pthread_t producer = start(produce, NULL);
  for (int i = 0; i < ROUNDS; ++i) {
    pthread_mutex_lock(&mutex);
    while (box == NULL) pthread_cond_wait(&filled, &mutex);
    int* const got = box;
    box = NULL;
    pthread_cond_broadcast(&emptied);
    pthread_mutex_unlock(&mutex);
    sum += *got;
    free(got);
  }
  pthread_join(producer, NULL);
  return sum;
}

static long exchange(int rank, int size) {
  int out[LENGTH], in[LENGTH];
  for (int i = 0; i < LENGTH; ++i) out[i] = rank + i;
  MPI_Request requests[2];
  MPI_Irecv(in, LENGTH, MPI_INT, (rank + size - 1) % size, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(out, LENGTH, MPI_INT, (rank + 1) % size, 1, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  long sum = 0, total = 0;
  for (int i = 0; i < LENGTH; ++i) sum += in[i];
  MPI_Allreduce(&sum, &total, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  return total;
}

int main(int argc, char** argv) {
  const char* const flaw = argc > 1 ? argv[1] : "none";
  int provided = 0, rank = 0, size = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
  pthread_barrier_init(&barrier, NULL, THREADS);
  sem_init(&tokens, 0, 1);
  pthread_t threads[THREADS];
  int indices[THREADS];
  long joined = 0;
  for (int i = 0; i < THREADS; ++i) indices[i] = i;
  for (int i = 0; i < THREADS; ++i) threads[i] = start(work, &indices[i]);
  for (int i = 0; i < THREADS; ++i) {
    void* value = NULL;
    pthread_join(threads[i], &value);
    joined += *(int*)value;
    free(value);
  }
  const long consumed = consume();
  const long exchanged = exchange(rank, size);
  volatile char* const bytes = malloc(LENGTH);
  const long last = strcmp(flaw, "overflow") == 0 ? LENGTH : LENGTH - 1;
  bytes[last] = 1;
  if (strcmp(flaw, "race") == 0) {
    const pthread_t one = start(race, NULL), other = start(race, NULL);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
  }
  if (strcmp(flaw, "leak") != 0) free((void*)bytes);
  printf("%d: %ld %ld %ld %ld %ld %ld %ld %ld %ld\n", rank, by_mutex, by_trylock, by_rwlock, by_spin, by_once,
         by_semaphore, joined, consumed, exchanged);
  fflush(stdout);
  MPI_Finalize();
  return 5;
}
