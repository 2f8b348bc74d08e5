// SPDX-License-Identifier: Apache-2.0
// Every kind of POSIX lock, every way to take it, with and without waiting, and every refusal that has a code.

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

#include "tally.h"

enum { kThreads = 4, kRounds = 500 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static sem_t semaphore;
static pthread_barrier_t barrier;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static long guarded, spun, taken, written, once_runs;

static void run_once(void) {
  usleep(2000);
  ++once_runs;
}

static void* everything(void* unused) {
  pthread_setname_np(pthread_self(), "everything");
  pthread_barrier_wait(&barrier);
  pthread_once(&once, run_once);
  for (int i = 0; i < kRounds; ++i) {
    pthread_mutex_lock(&mutex);
    ++guarded;
    if (i % 100 == 0) usleep(200);  // a thread will wait
    pthread_mutex_unlock(&mutex);
    pthread_spin_lock(&spin);
    ++spun;
    pthread_spin_unlock(&spin);
    sem_wait(&semaphore);
    ++taken;
    sem_post(&semaphore);
    pthread_rwlock_wrlock(&rwlock);
    ++written;
    pthread_rwlock_unlock(&rwlock);
    pthread_rwlock_rdlock(&rwlock);
    pthread_rwlock_unlock(&rwlock);
  }
  return unused;
}

static void together(void) {
  pthread_t threads[kThreads];
  pthread_barrier_init(&barrier, NULL, kThreads);
  pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
  sem_init(&semaphore, 0, 1);
  for (int i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, everything, NULL);
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  pthread_barrier_destroy(&barrier);
  pthread_spin_destroy(&spin);
  sem_destroy(&semaphore);
  result("guarded", guarded);
  result("spun", spun);
  result("taken", taken);
  result("written", written);
  result("once", once_runs);
  tally("acquired", "mutex", guarded);
  tally("acquired", "spin", spun);
  tally("acquired", "semaphore", taken);
  tally("acquired", "write", written);
  tally("acquired", "read", kThreads * kRounds);
  tally("calls", "pthread_create", kThreads);
  tally("calls", "pthread_join", kThreads);
  tally("calls", "pthread_barrier_wait", kThreads);
  tally("calls", "pthread_barrier_init", 1);
  tally("calls", "pthread_barrier_destroy", 1);
  tally("calls", "usleep", 1 + kThreads * (kRounds / 100));
}

static void* try_all(void* unused) {  // while main holds everything
  const struct timespec soon = after_ms(CLOCK_REALTIME, 5), soon_steady = after_ms(CLOCK_MONOTONIC, 5);
  const struct timespec wrong = {0, -1};
  errno = 77;
  result("mutex_trylock busy", pthread_mutex_trylock(&mutex));
  result("mutex_timedlock", pthread_mutex_timedlock(&mutex, &soon));
  result("mutex_clocklock", pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &soon_steady));
  result("mutex_clocklock wrong clock", pthread_mutex_clocklock(&mutex, 4711, &soon));
  result("mutex_timedlock wrong time", pthread_mutex_timedlock(&mutex, &wrong));
  result("tryrdlock busy", pthread_rwlock_tryrdlock(&rwlock));
  result("trywrlock busy", pthread_rwlock_trywrlock(&rwlock));
  result("timedrdlock", pthread_rwlock_timedrdlock(&rwlock, &soon));
  result("timedwrlock", pthread_rwlock_timedwrlock(&rwlock, &soon));
  result("clockrdlock", pthread_rwlock_clockrdlock(&rwlock, CLOCK_MONOTONIC, &soon_steady));
  result("clockwrlock", pthread_rwlock_clockwrlock(&rwlock, CLOCK_MONOTONIC, &soon_steady));
  result("spin_trylock busy", pthread_spin_trylock(&spin));
  result("errno untouched", errno);
  result("sem_trywait", sem_trywait(&semaphore));
  result("its errno", errno);
  result("sem_timedwait", sem_timedwait(&semaphore, &soon));
  result("its errno", errno);
  result("sem_clockwait", sem_clockwait(&semaphore, CLOCK_MONOTONIC, &soon_steady));
  result("its errno", errno);
  return unused;
}

static void refusals(void) {
  const struct timespec wrong = {0, 1000000000}, later = after_ms(CLOCK_REALTIME, 60000),
                        later_steady = after_ms(CLOCK_MONOTONIC, 60000);
  pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
  sem_init(&semaphore, 0, 1);
  pthread_mutex_lock(&mutex);
  pthread_rwlock_wrlock(&rwlock);
  pthread_spin_lock(&spin);
  sem_wait(&semaphore);
  tally("acquired", "mutex", 1);
  tally("acquired", "write", 1);
  tally("acquired", "spin", 1);
  tally("acquired", "semaphore", 1);
  pthread_t thread;
  pthread_create(&thread, NULL, try_all, NULL);
  pthread_join(thread, NULL);
  tally("calls", "pthread_create", 1);
  tally("calls", "pthread_join", 1);
  result("rdlock by its writer", pthread_rwlock_rdlock(&rwlock));
  result("wrlock by its writer", pthread_rwlock_wrlock(&rwlock));
  pthread_mutex_unlock(&mutex);
  pthread_rwlock_unlock(&rwlock);
  pthread_spin_unlock(&spin);
  errno = 78;
  result("sem_post", sem_post(&semaphore));
  result("errno untouched", errno);

  result("free timedrdlock wrong time", pthread_rwlock_timedrdlock(&rwlock, &wrong));
  result("free timedwrlock wrong time", pthread_rwlock_timedwrlock(&rwlock, &wrong));
  result("free sem_timedwait wrong time", sem_timedwait(&semaphore, &wrong));
  result("its errno", errno);
  const int free_wrong = pthread_mutex_timedlock(&mutex, &wrong);
  result("free mutex_timedlock wrong time", free_wrong);
  tally("acquired", "mutex", free_wrong == 0);
  if (free_wrong == 0) pthread_mutex_unlock(&mutex);

  result("free mutex_timedlock", pthread_mutex_timedlock(&mutex, &later));
  pthread_mutex_unlock(&mutex);
  result("free mutex_clocklock", pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &later_steady));
  pthread_mutex_unlock(&mutex);
  result("free mutex_trylock", pthread_mutex_trylock(&mutex));
  pthread_mutex_unlock(&mutex);
  tally("acquired", "mutex", 3);
  result("free timedrdlock", pthread_rwlock_timedrdlock(&rwlock, &later));
  result("second reader", pthread_rwlock_tryrdlock(&rwlock));
  result("third reader", pthread_rwlock_clockrdlock(&rwlock, CLOCK_REALTIME, &later));
  for (int i = 0; i < 3; ++i) pthread_rwlock_unlock(&rwlock);
  tally("acquired", "read", 3);
  result("free timedwrlock", pthread_rwlock_timedwrlock(&rwlock, &later));
  pthread_rwlock_unlock(&rwlock);
  result("free clockwrlock", pthread_rwlock_clockwrlock(&rwlock, CLOCK_MONOTONIC, &later_steady));
  pthread_rwlock_unlock(&rwlock);
  result("free trywrlock", pthread_rwlock_trywrlock(&rwlock));
  pthread_rwlock_unlock(&rwlock);
  tally("acquired", "write", 3);
  result("free spin_trylock", pthread_spin_trylock(&spin));
  pthread_spin_unlock(&spin);
  tally("acquired", "spin", 1);
  result("free sem_timedwait", sem_timedwait(&semaphore, &later));
  result("free sem_post", sem_post(&semaphore));
  result("free sem_clockwait", sem_clockwait(&semaphore, CLOCK_MONOTONIC, &later_steady));
  result("free sem_post", sem_post(&semaphore));
  result("free sem_trywait", sem_trywait(&semaphore));
  tally("acquired", "semaphore", 3);
}

static pthread_mutex_t typed;
static pthread_mutex_t* make(int type, int robust, int protocol) {
  pthread_mutexattr_t attr;
  pthread_mutexattr_init(&attr);
  pthread_mutexattr_settype(&attr, type);
  if (robust) pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
  pthread_mutexattr_setprotocol(&attr, protocol);
  result("mutex_init", pthread_mutex_init(&typed, &attr));
  pthread_mutexattr_destroy(&attr);
  tally("calls", "pthread_mutex_init", 1);
  tally("calls", "pthread_mutex_destroy", 1);
  return &typed;
}

static void* die_with_it(void* mutex_) {
  pthread_mutex_lock(mutex_);
  return NULL;
}

static void* not_mine(void* mutex_) { return (void*)(long)pthread_mutex_unlock(mutex_); }

static void in_thread(void* (*routine)(void*), void* argument, long* value) {
  pthread_t thread;
  void* returned = NULL;
  pthread_create(&thread, NULL, routine, argument);
  pthread_join(thread, &returned);
  if (value != NULL) *value = (long)returned;
  tally("calls", "pthread_create", 1);
  tally("calls", "pthread_join", 1);
}

static void types(void) {
  long value = 0;
  pthread_mutex_t* m = make(PTHREAD_MUTEX_ERRORCHECK, 0, PTHREAD_PRIO_NONE);
  result("errorcheck lock", pthread_mutex_lock(m));
  result("errorcheck lock again", pthread_mutex_lock(m));
  result("errorcheck trylock again", pthread_mutex_trylock(m));
  const struct timespec soon = after_ms(CLOCK_REALTIME, 5);
  result("errorcheck timedlock again", pthread_mutex_timedlock(m, &soon));
  in_thread(not_mine, m, &value);
  result("errorcheck unlock by another", value);
  result("errorcheck unlock", pthread_mutex_unlock(m));
  result("errorcheck unlock again", pthread_mutex_unlock(m));
  pthread_mutex_destroy(m);
  tally("acquired", "mutex", 1);

  m = make(PTHREAD_MUTEX_RECURSIVE, 0, PTHREAD_PRIO_NONE);
  for (int i = 0; i < 3; ++i) result("recursive lock", pthread_mutex_lock(m));
  result("recursive trylock", pthread_mutex_trylock(m));
  result("destroy a held one", pthread_mutex_destroy(m));
  for (int i = 0; i < 4; ++i) result("recursive unlock", pthread_mutex_unlock(m));
  pthread_mutex_destroy(m);
  tally("calls", "pthread_mutex_destroy", 1);
  tally("acquired", "mutex", 4);

  m = make(PTHREAD_MUTEX_ADAPTIVE_NP, 0, PTHREAD_PRIO_NONE);
  result("adaptive lock", pthread_mutex_lock(m));
  result("adaptive unlock", pthread_mutex_unlock(m));
  pthread_mutex_destroy(m);
  m = make(PTHREAD_MUTEX_NORMAL, 0, PTHREAD_PRIO_INHERIT);
  result("inherit lock", pthread_mutex_lock(m));
  result("inherit trylock", pthread_mutex_trylock(m));
  result("inherit unlock", pthread_mutex_unlock(m));
  pthread_mutex_destroy(m);
  tally("acquired", "mutex", 2);

  m = make(PTHREAD_MUTEX_NORMAL, 1, PTHREAD_PRIO_NONE);
  in_thread(die_with_it, m, NULL);
  result("robust lock of a dead one's", pthread_mutex_lock(m));
  result("robust consistent", pthread_mutex_consistent(m));
  result("robust unlock", pthread_mutex_unlock(m));
  result("robust lock", pthread_mutex_lock(m));
  result("robust unlock", pthread_mutex_unlock(m));
  in_thread(die_with_it, m, NULL);
  result("robust trylock of a dead one's", pthread_mutex_trylock(m));
  result("robust unlock inconsistent", pthread_mutex_unlock(m));
  result("robust lock beyond repair", pthread_mutex_lock(m));
  result("robust lock beyond repair", pthread_mutex_lock(m));
  result("robust trylock beyond repair", pthread_mutex_trylock(m));
  pthread_mutex_destroy(m);
  tally("acquired", "mutex", 5);
}

static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int stage;
static void* answer(void* unused) {
  pthread_mutex_lock(&mutex);
  while (stage == 0) pthread_cond_wait(&condition, &mutex);
  stage = 2;
  pthread_cond_broadcast(&condition);
  pthread_mutex_unlock(&mutex);
  return unused;
}

static void conditions(void) {
  pthread_t thread;
  const struct timespec soon = after_ms(CLOCK_REALTIME, 5), soon_steady = after_ms(CLOCK_MONOTONIC, 10),
                        later = after_ms(CLOCK_REALTIME, 60000), wrong = {0, -1};
  pthread_mutex_lock(&mutex);
  result("cond_timedwait in vain", pthread_cond_timedwait(&condition, &mutex, &soon));
  result("cond_clockwait in vain", pthread_cond_clockwait(&condition, &mutex, CLOCK_MONOTONIC, &soon_steady));
  result("cond_timedwait wrong time", pthread_cond_timedwait(&condition, &mutex, &wrong));
  tally("calls", "pthread_cond_clockwait", 1);
  result("cond_signal unheard", pthread_cond_signal(&condition));
  result("cond_broadcast unheard", pthread_cond_broadcast(&condition));
  pthread_create(&thread, NULL, answer, NULL);
  usleep(2000);
  stage = 1;
  pthread_cond_signal(&condition);
  int waits = 0;
  int code = 0;
  while (stage != 2 && code == 0) {
    code = pthread_cond_timedwait(&condition, &mutex, &later);
    ++waits;
  }
  result("cond_timedwait", code);
  tally("acquired", "mutex", 2);
  tally("calls", "pthread_cond_timedwait", 2 + waits);
  tally("calls", "usleep", 1);
  tally("calls", "pthread_create", 1);
  tally("calls", "pthread_join", 1);
  pthread_mutex_unlock(&mutex);
  pthread_join(thread, NULL);
}

static void sleeps(void) {
  const struct timespec ms = {0, 1000000}, wrong = {0, -1};
  struct timespec left = {0, 0};
  result("nanosleep", nanosleep(&ms, &left));
  result("nanosleep wrong", nanosleep(&wrong, NULL));
  result("its errno", errno);
  result("clock_nanosleep", clock_nanosleep(CLOCK_MONOTONIC, 0, &ms, NULL));
  result("clock_nanosleep wrong", clock_nanosleep(CLOCK_MONOTONIC, 0, &wrong, NULL));
  result("usleep", usleep(1000));
  result("sleep", sleep(0));
  tally("calls", "nanosleep", 2);
  tally("calls", "clock_nanosleep", 2);
  tally("calls", "usleep", 1);
  tally("calls", "sleep", 1);
}

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  together();
  refusals();
  types();
  conditions();
  sleeps();
  print_tally();
  MPI_Finalize();
  end_with(3);
}
