// SPDX-License-Identifier: Apache-2.0
// Locks where tracers stumble: constructors, signal handlers, forked children, cancelled threads, atexit.

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tally.h"

static pthread_mutex_t early = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t ticks, never;
static long cleaned;

static void* nothing(void* value) { return value; }

__attribute__((constructor)) static void before_main(void) {
  pthread_mutex_lock(&early);
  pthread_mutex_unlock(&early);
  pthread_t thread;
  pthread_create(&thread, NULL, nothing, NULL);
  pthread_join(thread, NULL);
}

static void at_exit(void) {
  pthread_mutex_lock(&early);
  pthread_mutex_unlock(&early);
}

static void on_tick(int signal) {
  (void)signal;
  const int before = errno;
  sem_post(&ticks);
  pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;  // not allowed here, and yet done
  if (pthread_mutex_lock(&own) == 0) pthread_mutex_unlock(&own);
  errno = before;
}

/// Signals every 100 us while locks are taken and left.
static void in_handlers(void) {
  sem_init(&ticks, 0, 0);
  signal(SIGALRM, on_tick);
  const struct itimerval often = {{0, 100}, {0, 100}}, off = {{0, 0}, {0, 0}};
  setitimer(ITIMER_REAL, &often, NULL);
  long got = 0;
  for (int i = 0; i < 200; ++i) {
    while (sem_wait(&ticks) != 0) {
    }
    ++got;
    for (int k = 0; k < 100; ++k) {
      pthread_mutex_lock(&mutex);
      pthread_mutex_unlock(&mutex);
    }
    pthread_cond_t fresh = PTHREAD_COND_INITIALIZER;
    pthread_cond_broadcast(&fresh);
    pthread_cond_destroy(&fresh);
  }
  setitimer(ITIMER_REAL, &off, NULL);
  signal(SIGALRM, SIG_IGN);
  result("ticks", got);
}

static void clean(void* mutex_) {
  ++cleaned;
  if (mutex_ != NULL) pthread_mutex_unlock(mutex_);
}

static void* wait_for_condition(void* unused) {
  pthread_mutex_lock(&mutex);
  pthread_cleanup_push(clean, &mutex);
  for (;;) pthread_cond_wait(&condition, &mutex);
  pthread_cleanup_pop(0);
  return unused;
}

static void* wait_for_semaphore(void* unused) {
  pthread_cleanup_push(clean, NULL);
  sem_wait(&never);
  pthread_cleanup_pop(0);
  return unused;
}

static void* wait_for_none(void* gate) {  // sem_wait must see the cancellation although it need not wait
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
  sem_wait(gate);
  pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
  sem_wait(gate);
  return gate;
}

static void* sleep_long(void* unused) {
  sleep(1000);
  return unused;
}

static void* tell_kernel_tid(void* tid) {
  __atomic_store_n((int*)tid, gettid(), __ATOMIC_RELEASE);
  return NULL;
}

/// Returns when that thread is gone. UCX, below MPICH, takes a spin lock of its own while a thread's stack is given back:
/// a child that is made in that moment waits for it for ever, traced or not.
static void wait_for_end(const int* tid) {
  int id = 0;
  while ((id = __atomic_load_n(tid, __ATOMIC_ACQUIRE)) == 0) sched_yield();
  while (tgkill(getpid(), id, 0) == 0) sched_yield();
}

static void* leave_by_exit(void* value) {
  pthread_exit(value);
  return NULL;
}

static void cancel(void* (*routine)(void*), void* argument, const char* what) {
  pthread_t thread;
  void* value = NULL;
  pthread_create(&thread, NULL, routine, argument);
  usleep(5000);
  result("cancel", pthread_cancel(thread));
  if (routine == wait_for_none) {
    sem_post(argument);
    sem_post(argument);
  }
  result("join", pthread_join(thread, &value));
  result(what, value == PTHREAD_CANCELED);
  tally("calls", "pthread_create", 1);
  tally("calls", "pthread_cancel", 1);
  tally("calls", "pthread_join", 1);
  tally("calls", "usleep", 1);
}

static void cancellations(void) {
  sem_t gate;
  sem_init(&gate, 0, 0);
  sem_init(&never, 0, 0);
  cancel(wait_for_condition, NULL, "cancelled in cond_wait");
  cancel(wait_for_semaphore, NULL, "cancelled in sem_wait");
  cancel(wait_for_none, &gate, "cancelled before sem_wait");
  cancel(sleep_long, NULL, "cancelled in sleep");
  result("cleaned", cleaned);
  result("mutex is free", pthread_mutex_trylock(&mutex));
  pthread_mutex_unlock(&mutex);
  pthread_t thread;
  void* value = NULL;
  pthread_create(&thread, NULL, leave_by_exit, &ticks);
  pthread_join(thread, &value);
  result("left by exit", value == (void*)&ticks);
  int tid = 0;
  pthread_create(&thread, NULL, tell_kernel_tid, &tid);
  result("detach", pthread_detach(thread));
  wait_for_end(&tid);
  tally("calls", "pthread_create", 2);
  tally("calls", "pthread_join", 1);
  tally("calls", "pthread_exit", 1);
  tally("calls", "pthread_detach", 1);
}

static void lock_parent(void) { pthread_mutex_lock(&mutex); }
static void unlock_both(void) { pthread_mutex_unlock(&mutex); }

static int child(void) {  // takes locks and makes a thread, as if untraced
  pthread_t thread;
  long sum = 0;
  for (int i = 0; i < 1000; ++i) {
    pthread_mutex_lock(&early);
    ++sum;
    pthread_mutex_unlock(&early);
  }
  pthread_create(&thread, NULL, nothing, NULL);
  pthread_join(thread, NULL);
  usleep(100);
  return sum == 1000 ? 7 : 8;
}

static void forks(void) {
  int status = 0;
  pthread_atfork(lock_parent, unlock_both, unlock_both);
  const pid_t pid = fork();
  if (pid == 0) _exit(child());
  waitpid(pid, &status, 0);
  result("child with locks", WEXITSTATUS(status));
  const pid_t raw = _Fork();  // no handlers run
  if (raw == 0) _exit(child());
  waitpid(raw, &status, 0);
  result("child of _Fork", WEXITSTATUS(status));
}

int main(int argc, char** argv) {
  int provided = 0;
  atexit(at_exit);
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  in_handlers();
  cancellations();
  forks();
  print_tally();
  MPI_Finalize();
  pthread_mutex_lock(&early);
  pthread_mutex_unlock(&early);
  end_with(6);
}
