// SPDX-License-Identifier: Apache-2.0
// What a program does with signals, stacks and threads while samples are taken by a signal. Prints what it counted; a tracer must not
// change that.

#include <errno.h>
#include <mpi.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

enum { kStack = 64 << 10, kCoroutineStack = 12 << 10, kThreads = 200, kSwitches = 400, kAlarms = 40, kCancelled = 50 };

static double spent(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static volatile double sink;
static void work(double seconds) {
  for (const double end = spent() + seconds; spent() < end;)
    for (int i = 0; i < 2000; ++i) sink += i;
}

// A handler on a stack of its own, which is left by longjmp.
static sigjmp_buf back;
static volatile sig_atomic_t alarms, on_own_stack;
static char own_stack[kStack];
static void on_alarm(int number) {
  char here;
  (void)number;
  ++alarms;
  if (&here >= own_stack && &here < own_stack + kStack) ++on_own_stack;
  if (alarms % 2 == 0) siglongjmp(back, 1);
}

// Any thread may handle a signal of the whole process unless it blocks that signal. on_alarm() needs its own thread, so the threads of the
// MPI library block the signal: they have the mask with which MPI was started.
static void mask_alarms(int how) {
  sigset_t alarm;
  sigemptyset(&alarm);
  sigaddset(&alarm, SIGALRM);
  pthread_sigmask(how, &alarm, NULL);
}

static void use_alarms(void) {
  stack_t stack = {.ss_sp = own_stack, .ss_size = kStack};
  sigaltstack(&stack, NULL);
  struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_ONSTACK};
  sigaction(SIGALRM, &action, NULL);
  while (alarms < kAlarms) {
    const struct itimerval soon = {.it_value = {0, 3000}};
    const int before = alarms;
    if (sigsetjmp(back, 1) == 0) {
      setitimer(ITIMER_REAL, &soon, NULL);
      while (alarms == before) work(0.001);
    }
  }
  signal(SIGALRM, SIG_IGN);
}

// Coroutines with little stack.
static ucontext_t outside, inside;
static volatile int switches;
static void coroutine(void) {
  for (;;) {
    work(0.0005);
    ++switches;
    swapcontext(&inside, &outside);
  }
}

static void use_coroutine(void) {
  char* const stack = malloc(kCoroutineStack);
  getcontext(&inside);
  inside.uc_stack.ss_sp = stack;
  inside.uc_stack.ss_size = kCoroutineStack;
  inside.uc_link = NULL;
  makecontext(&inside, coroutine, 0);
  while (switches < kSwitches) swapcontext(&outside, &inside);
  free(stack);
}

// Threads that wait for all signals get those that they are sent, and no other.
static volatile int received[65], strange;
static pthread_t waiter;
static void* wait_for_signals(void* unused) {
  sigset_t all;
  sigfillset(&all);
  for (;;) {
    int number = 0;
    if (sigwait(&all, &number) != 0) continue;
    if (number == SIGTERM) return unused;
    if (number == SIGUSR1)
      ++received[number];
    else
      ++strange;
    work(0.002);
  }
}

static void use_waiter(void) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  pthread_create(&waiter, NULL, wait_for_signals, NULL);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  for (int i = 0; i < 50; ++i) {
    pthread_kill(waiter, SIGUSR1);
    for (int before_it = i; received[SIGUSR1] == before_it;) usleep(100);
  }
  pthread_kill(waiter, SIGTERM);
  pthread_join(waiter, NULL);
}

static void* short_life(void* unused) {
  work(0.002);
  return unused;
}

// Cancelled at once: most act on it where they ask for it, some before they begin.
static int cleaned;
static void clean(void* unused) {
  (void)unused;
  ++cleaned;
}
static void* be_cancelled(void* unused) {
  pthread_cleanup_push(clean, NULL);
  work(0.0005);
  pthread_testcancel();
  pthread_cleanup_pop(0);
  return unused;
}

static void use_cancelled_threads(void) {
  for (int i = 0; i < kCancelled; ++i) {
    pthread_t thread;
    pthread_create(&thread, NULL, be_cancelled, NULL);
    pthread_cancel(thread);
    pthread_join(thread, NULL);
  }
}

static int use_children(void) {
  int good = 0;
  for (int i = 0; i < 5; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      work(0.02);
      if (i % 2 == 0) execl("/bin/sh", "sh", "-c", "exit 7", (char*)NULL);
      _exit(7);
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    good += WIFEXITED(status) && WEXITSTATUS(status) == 7;
  }
  return good;
}

int main(int argc, char** argv) {
  int rank, given;
  mask_alarms(SIG_BLOCK);
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &given);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  mask_alarms(SIG_UNBLOCK);
  use_alarms();
  use_coroutine();
  use_waiter();
  for (int i = 0; i < kThreads; ++i) {
    pthread_t thread;
    pthread_create(&thread, NULL, short_life, NULL);
    pthread_join(thread, NULL);
  }
  use_cancelled_threads();
  const int good = use_children();
  errno = 0;
  const FILE* const none = fopen("/no/such/file", "r");
  work(0.1);
  const int kept = errno;
  MPI_Barrier(MPI_COMM_WORLD);
  printf("%d: alarms %d on own stack %d switches %d received %d strange %d children %d errno %d file %d\ncleaned %d\n",
         rank, (int)alarms, (int)on_own_stack, switches, received[SIGUSR1], strange, good, kept, none != NULL, cleaned);
  fflush(stdout);
  MPI_Finalize();
  return 3;
}
