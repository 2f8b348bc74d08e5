// SPDX-License-Identifier: Apache-2.0
/* Shared by the benchmark programs: a clock, medians, and the lines that run_bench reads:
 * "measure value-of-rank-0 value-of-rank-1 ...", values in ns unless the measure says otherwise. */
#pragma once

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

enum { kMaxBatches = 65536, kMaxRanks = 64, kBatch = 1000 };

/* Times of the batches of one measure. */
typedef struct {
  int count;
  double ns[kMaxBatches];
} Samples;

static inline double read_clock_ns(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static inline double now_ns(void) { return read_clock_ns(CLOCK_MONOTONIC); }

/* Processor time of this thread: what others on the machine do hardly shows in it. */
static inline double cpu_ns(void) { return read_clock_ns(CLOCK_THREAD_CPUTIME_ID); }

/* The processor's own counter: what any exact tracer has to read twice a call. */
static inline uint64_t read_counter(void) {
#if defined(__x86_64__)
  return __rdtsc();
#elif defined(__aarch64__)
  uint64_t ticks;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
#else
  return (uint64_t)now_ns();
#endif
}

static int compare_doubles(const void* left, const void* right) {
  const double a = *(const double*)left, b = *(const double*)right;
  return (a > b) - (a < b);
}

static inline void add_sample(Samples* samples, double ns) {
  if (samples->count < kMaxBatches) samples->ns[samples->count++] = ns;
}

/* Sorts the samples. */
static inline double median(Samples* samples) {
  if (samples->count == 0) return 0;
  qsort(samples->ns, (size_t)samples->count, sizeof(double), compare_doubles);
  return samples->ns[samples->count / 2];
}

/* Collective. */
static inline void report(const char* measure, double value) {
  double values[kMaxRanks];
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Gather(&value, 1, MPI_DOUBLE, values, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  if (rank != 0) return;
  printf("%s", measure);
  for (int i = 0; i < size; ++i) printf(" %.3f", values[i]);
  printf("\n");
}

/* Collective: reports the median time of `statements`, run in `batches` batches of kBatch. */
#define MEASURE(batches, name, statements)               \
  do {                                                   \
    static Samples samples;                              \
    samples.count = 0;                                   \
    for (long batch = 0; batch < (batches); ++batch) {   \
      const double begin = now_ns();                     \
      for (int i = 0; i < kBatch; ++i) {                 \
        statements;                                      \
      }                                                  \
      add_sample(&samples, (now_ns() - begin) / kBatch); \
    }                                                    \
    report(name, median(&samples));                      \
  } while (0)

/* Collective: `calls`, what this rank has called between MPI_Init and here, and the memory it has needed. */
static inline void report_end(double calls) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  report("peak_memory_kb", (double)usage.ru_maxrss);
  report("calls", calls);
}

/* Lets a tracer that works beside the program catch up. */
static inline void pause_ms(long ms) {
  const struct timespec time = {ms / 1000, ms % 1000 * 1000000};
  nanosleep(&time, NULL);
}

/* The number that is argument `index`, or `otherwise`. Ends the program when it is not between 1 and `largest`. */
static inline long argument(int argc, char** argv, int index, long otherwise, long largest) {
  if (index >= argc) return otherwise;
  char* end;
  const long value = strtol(argv[index], &end, 10);
  int size;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (*end != '\0' || value < 1 || value > largest || size > kMaxRanks) {
    fprintf(stderr, "%s: argument %d is a number from 1 to %ld; at most %d ranks\n", argv[0], index, largest,
            kMaxRanks);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  return value;
}
