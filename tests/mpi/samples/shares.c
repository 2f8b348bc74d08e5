// SPDX-License-Identifier: Apache-2.0
// Functions with designed shares of processor time: shares FACTOR [kill|threads|blocked|kernel|wander]
// assemble : solve : check take 50, 37.5 and 12.5 % of each iteration; on rank 1 assemble takes FACTOR times as long.
//   blocked   threads block all signals
//   kernel    solve() is in system calls
//   wander    the factor is that of another rank in each iteration

#include <math.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

enum { kIterations = 20, kThreads = 3 };
static const double kSeconds = 1.0;  // of all iterations, without the factor

static double spent(void) {  // of this thread
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static volatile double sink;

static int in_kernel;
static char bytes[1 << 14];

#define WORK(function, is_in_kernel)                           \
  __attribute__((noinline)) void function(double seconds) {    \
    double sum = 0;                                            \
    for (const double end = spent() + seconds; spent() < end;) \
      if (is_in_kernel)                                        \
        sum += (double)getrandom(bytes, sizeof bytes, 0);      \
      else                                                     \
        for (int i = 0; i < 20000; ++i) sum += sqrt(i + 1.0);  \
    sink = sum;                                                \
  }

WORK(assemble, 0)
WORK(solve, in_kernel)
WORK(check, 0)

__attribute__((noinline)) void iterate(double factor) {
  assemble(factor * 0.5 * kSeconds / kIterations);
  solve(0.375 * kSeconds / kIterations);
  check(0.125 * kSeconds / kIterations);
  sink = factor;
}

static void* run_thread(void* factor) {
  for (int i = 0; i < kIterations; ++i) iterate(*(double*)factor);
  return NULL;
}

static void* run_blocked(void* factor) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, NULL);
  return run_thread(factor);
}

int main(int argc, char** argv) {
  int rank, ranks, given;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &given);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  double factor = rank == 1 && argc > 1 ? atof(argv[1]) : 1;
  const char* const how = argc > 2 ? argv[2] : "";
  const int wanders = strcmp(how, "wander") == 0;
  in_kernel = strcmp(how, "kernel") == 0;
  pthread_t threads[kThreads];
  const int is_blocked = strcmp(how, "blocked") == 0, has_threads = is_blocked || strcmp(how, "threads") == 0;
  for (int i = 0; i < kThreads && has_threads; ++i)
    pthread_create(&threads[i], NULL, is_blocked ? run_blocked : run_thread, &factor);
  const double begin = spent();
  double worked = 0;
  for (int i = 0; i < kIterations; ++i) {
    const double before = spent();
    if (wanders) factor = i % ranks == rank ? atof(argv[1]) : 1;
    iterate(factor);
    worked += spent() - before;
    MPI_Barrier(MPI_COMM_WORLD);
  }
  printf("%d %.6f %.6f\n", rank, worked, spent() - begin);
  fflush(stdout);
  if (strcmp(how, "kill") == 0) {
    MPI_Barrier(MPI_COMM_WORLD);
    raise(SIGKILL);
  }
  for (int i = 0; i < kThreads && has_threads; ++i) pthread_join(threads[i], NULL);
  MPI_Finalize();
  return 0;
}
