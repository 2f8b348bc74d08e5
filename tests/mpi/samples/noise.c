// SPDX-License-Identifier: Apache-2.0
// Ranks that do equal work between barriers, each bound to a processor; another process takes that of rank 0 for 5 of each 100 ms:
// noise ITERATIONS [quiet]
// Prints for each rank: its number, the time that its main thread was ready to run and had no processor, as Linux counts it in
// /proc, and the length of the run, both in seconds.

#include <mpi.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

static const double kWork = 0.01, kNoise = 0.005, kQuiet = 0.095;  // seconds

static double seconds(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

__attribute__((noinline)) static void work(double s) {
  for (const double end = seconds(CLOCK_THREAD_CPUTIME_ID) + s; seconds(CLOCK_THREAD_CPUTIME_ID) < end;) {
  }
}

static void pause_for(double s) {
  struct timespec left = {(time_t)s, (long)((s - (double)(time_t)s) * 1e9)};
  while (nanosleep(&left, &left) != 0) {
  }
}

static double ready(void) {
  unsigned long long ran = 0, waited = 0;
  FILE* const file = fopen("/proc/thread-self/schedstat", "r");
  if (file == NULL || fscanf(file, "%llu %llu", &ran, &waited) != 2) abort();
  fclose(file);
  return 1e-9 * (double)waited;
}

/// Binds the process to one of the processors that it may use.
static void bind_to(int number) {
  cpu_set_t all, one;
  CPU_ZERO(&one);
  if (sched_getaffinity(0, sizeof all, &all) != 0) abort();
  number %= CPU_COUNT(&all);
  for (size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &all) && number-- == 0) CPU_SET(cpu, &one);
  if (sched_setaffinity(0, sizeof one, &one) != 0) abort();
}

int main(int argc, char** argv) {
  int rank;
  const int iterations = argc > 1 ? atoi(argv[1]) : 100;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  bind_to(rank);
  const int has_noise = rank == 0 && (argc < 3 || strcmp(argv[2], "quiet") != 0);
  const pid_t noise = has_noise ? fork() : -1;
  if (noise == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;) {
      pause_for(kQuiet);
      work(kNoise);
    }
  }
  pause_for(0.3);  // the intervals begin a little after MPI_Init
  MPI_Barrier(MPI_COMM_WORLD);
  const double ready_before = ready(), begin = seconds(CLOCK_MONOTONIC);
  for (int i = 0; i < iterations; ++i) {
    work(kWork);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  printf("%d %.6f %.6f\n", rank, ready() - ready_before, seconds(CLOCK_MONOTONIC) - begin);
  fflush(stdout);
  if (noise > 0) kill(noise, SIGKILL);
  MPI_Finalize();
  return 0;
}
