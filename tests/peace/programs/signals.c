// SPDX-License-Identifier: Apache-2.0
// A program with handlers, timers and jumps of its own says what it sees of them: actions, masks, errno, results.
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

#include "manners.h"

static volatile sig_atomic_t usr1, children, ticks, post_at;
static volatile sig_atomic_t jumps;
static sigjmp_buf target;
static sem_t semaphore;
static char other_stack[1 << 16];

static void on_usr1(int signal) {
  (void)signal;
  ++usr1;
}
static void on_child(int signal) {
  (void)signal;
  ++children;
}
static void on_tick(int signal) {
  (void)signal;
  ++ticks;
  if (post_at != 0 && ticks >= post_at) sem_post(&semaphore);
  if (jumps == 0) return;
  jumps = 0;  // the next tick may come before the program has landed
  siglongjmp(target, 1);
}
static void on_fault(int signal) {
  char here;
  siglongjmp(target, &here >= other_stack && &here < other_stack + sizeof other_stack ? signal : 100);
}

static void handle(int signal, void (*handler)(int), int flags) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigaction(signal, &action, NULL);
}

static const char* name_of(void (*handler)(int)) {
  return handler == SIG_DFL    ? "default"
         : handler == SIG_IGN  ? "ignored"
         : handler == on_usr1  ? "on_usr1"
         : handler == on_child ? "on_child"
         : handler == on_tick  ? "on_tick"
         : handler == on_fault ? "on_fault"
                               : "somebody else's";
}

static void say_actions(const char* when) {
  sigset_t mask;
  pthread_sigmask(SIG_BLOCK, NULL, &mask);
  for (int i = 1; i < NSIG; ++i) {
    struct sigaction action;
    if (sigaction(i, NULL, &action) != 0) continue;
    if (action.sa_handler == SIG_DFL && !sigismember(&mask, i)) continue;
    say("%s: signal %d: %s, flags %x, %s", when, i, name_of(action.sa_handler), (unsigned)action.sa_flags,
        sigismember(&mask, i) ? "blocked" : "open");
  }
  stack_t stack;
  sigaltstack(NULL, &stack);
  say("%s: %s", when, stack.ss_sp == other_stack ? "own stack for signals" : "another stack for signals");
}

static void timer(int milliseconds) {
  const struct itimerval every = {{0, milliseconds * 1000}, {0, milliseconds * 1000}};
  setitimer(ITIMER_REAL, &every, NULL);
}

/// Every call that waits, with a timer that strikes again and again: what it returns, and errno.
static void interrupted(const char* what, int flags) {
  const struct timespec ten_minutes = {600, 0};
  struct timespec left = {0, 0};
  handle(SIGALRM, on_tick, flags);
  timer(20);
  errno = 0;
  int result = nanosleep(&ten_minutes, &left);
  say("%s: nanosleep %d %d, %s left", what, result, errno, left.tv_sec > 0 ? "time" : "none");
  errno = 0;
  result = clock_nanosleep(CLOCK_MONOTONIC, 0, &ten_minutes, &left);
  say("%s: clock_nanosleep %d %d", what, result, errno);
  errno = 0;
  result = usleep(900000000u);
  say("%s: usleep %d %d", what, result, errno);
  say("%s: sleep %s", what, sleep(600) > 0 ? "has time left" : "has slept");
  errno = 0;
  result = pause();
  say("%s: pause %d %d", what, result, errno);
  ticks = 0;
  post_at = flags & SA_RESTART ? 3 : 0;
  errno = 0;
  result = sem_wait(&semaphore);
  say("%s: sem_wait %d %d", what, result, errno);
  post_at = 0;
  int ends[2];
  char byte;
  if (!(flags & SA_RESTART) && pipe(ends) == 0) {
    errno = 0;
    result = (int)read(ends[0], &byte, 1);
    say("%s: read %d %d", what, result, errno);
    close(ends[0]);
    close(ends[1]);
  }
  timer(0);
  while (sem_trywait(&semaphore) == 0) continue;
  sem_post(&semaphore);
  errno = 77;
  result = sem_wait(&semaphore);
  say("%s: errno after a sem_wait that need not wait %d %d", what, result, errno);
}

/// Out of handlers that struck in calls that were waiting, and out of faults.
static void jump(void) {
  handle(SIGALRM, on_tick, SA_NODEFER);
  volatile int landed = 0;
  for (volatile int i = 0; i < 6; ++i) {
    if (sigsetjmp(target, 1) == 0) {
      jumps = 1;
      timer(20);
      const struct timespec ten_minutes = {600, 0};
      if (i % 2 == 0) nanosleep(&ten_minutes, NULL);
      if (i % 2 == 1) sleep(600);
    } else {
      ++landed;
    }
    jumps = 0;
    timer(0);
  }
  say("landed %d times", landed);
  volatile int faults = 0;
  for (volatile int i = 0; i < 3; ++i) {
    volatile int* volatile nowhere = NULL;
    const int signal = sigsetjmp(target, 1);
    if (signal == 0)
      *nowhere = 1;
    else
      faults += signal == SIGSEGV;
  }
  say("%d faults on the stack for signals", faults);
}

int main(int argc, char** argv) {
  const stack_t own = {.ss_sp = other_stack, .ss_size = sizeof other_stack};
  sigaltstack(&own, NULL);
  handle(SIGUSR1, on_usr1, SA_RESTART);
  handle(SIGTERM, on_usr1, 0);
  handle(SIGCHLD, on_child, SA_RESTART);
  handle(SIGSEGV, on_fault, SA_ONSTACK);
  handle(SIGPIPE, SIG_IGN, 0);
  begin(&argc, &argv);
  sem_init(&semaphore, 0, 0);
  say_actions("after MPI_Init");
  say("children that ended in MPI_Init: %d", (int)children);
  for (int i = 0; i < 10; ++i) {
    raise(SIGUSR1);
    raise(SIGTERM);
    exchange();
  }
  say("handled %d", (int)usr1);
  interrupted("interrupted", 0);
  interrupted("to be restarted", SA_RESTART);
  exchange();
  jump();
  exchange();
  say_actions("before MPI_Finalize");
  fflush(stdout);
  MPI_Finalize();
  say("children that ended: %d", (int)children);
  return 5;
}
