// What a lock costs that nobody else wants: ns of a call, and with its release, best of several rounds.
//
// bench_locks [calls]

#include <mpi.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_spinlock_t spin;
static sem_t semaphore;
static void nothing(void) {}
static void* idle(void* unused) { return unused; }

#define MEASURE(name, statements)                                      \
  do {                                                                 \
    double best = 1e9;                                                 \
    for (int round = 0; round < 15; ++round) {                         \
      const double begin = MPI_Wtime();                                \
      for (long i = 0; i < calls; ++i) {                               \
        statements;                                                    \
      }                                                                \
      const double each = (MPI_Wtime() - begin) / (double)calls * 1e9; \
      if (each < best) best = each;                                    \
    }                                                                  \
    printf("%-28s %7.2f ns\n", name, best);                            \
  } while (0)

int main(int argc, char** argv) {
  const long calls = argc > 1 ? atol(argv[1]) : 1000000;
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  pthread_t thread;  // a process that never had a second thread has cheaper locks
  pthread_create(&thread, NULL, idle, NULL);
  pthread_join(thread, NULL);
  pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
  sem_init(&semaphore, 0, 1);
  MEASURE("mutex lock and unlock", pthread_mutex_lock(&mutex); pthread_mutex_unlock(&mutex));
  MEASURE("mutex trylock and unlock", pthread_mutex_trylock(&mutex); pthread_mutex_unlock(&mutex));
  MEASURE("rwlock read and unlock", pthread_rwlock_rdlock(&rwlock); pthread_rwlock_unlock(&rwlock));
  MEASURE("rwlock write and unlock", pthread_rwlock_wrlock(&rwlock); pthread_rwlock_unlock(&rwlock));
  MEASURE("spin lock and unlock", pthread_spin_lock(&spin); pthread_spin_unlock(&spin));
  MEASURE("semaphore wait and post", sem_wait(&semaphore); sem_post(&semaphore));
  MEASURE("signal that nobody hears", pthread_cond_signal(&condition));
  MEASURE("once, done", pthread_once(&once, nothing));
  MPI_Finalize();
  return 0;
}
