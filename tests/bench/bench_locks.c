// SPDX-License-Identifier: Apache-2.0
/* The cost of an uncontended lock: one call that takes it, one that releases it.
 * bench_locks [batches of 1000] */

#include <pthread.h>
#include <semaphore.h>

#include "bench.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_spinlock_t spin;
static sem_t semaphore;
static void nothing(void) {}
static void* idle(void* unused) { return unused; }

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  const long batches = argument(argc, argv, 1, 2000, kMaxBatches);
  pthread_t thread;  // a process that never had a second thread has cheaper locks
  pthread_create(&thread, NULL, idle, NULL);
  pthread_join(thread, NULL);
  pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
  sem_init(&semaphore, 0, 1);
  MEASURE(batches, "mutex.pair", pthread_mutex_lock(&mutex); pthread_mutex_unlock(&mutex));
  MEASURE(batches, "mutex.try_pair", pthread_mutex_trylock(&mutex); pthread_mutex_unlock(&mutex));
  MEASURE(batches, "rwlock.read_pair", pthread_rwlock_rdlock(&rwlock); pthread_rwlock_unlock(&rwlock));
  MEASURE(batches, "rwlock.write_pair", pthread_rwlock_wrlock(&rwlock); pthread_rwlock_unlock(&rwlock));
  MEASURE(batches, "spin.pair", pthread_spin_lock(&spin); pthread_spin_unlock(&spin));
  MEASURE(batches, "semaphore.pair", sem_wait(&semaphore); sem_post(&semaphore));
  MEASURE(batches, "condition.signal", pthread_cond_signal(&condition));
  MEASURE(batches, "once.done", pthread_once(&once, nothing));
  report_end(0);
  MPI_Finalize();
  return 0;
}
