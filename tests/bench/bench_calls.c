// SPDX-License-Identifier: Apache-2.0
/* The time of one call: MPI_Comm_rank, MPI_Iprobe, and a message to oneself, each in bursts that fit in a tracer's
 * buffer with pauses between them, and sustained, many times a buffer without a pause. bench_calls [bursts = 100]
 * [sustained calls = 1000000] */
#define _POSIX_C_SOURCE 200809L
#include "bench.h"

enum {
  kBatchCalls = 200, /* timed together: the two clock reads around them are 0.3 ns a call */
  kBurstBatches = 8,
  kPauseMs = 3,
};

static volatile uint64_t g_sink;
static volatile int g_rank, g_flag;

static void clock_pair(void) {
  const uint64_t begin = read_counter();
  g_sink = read_counter() - begin;
}

static void comm_rank(void) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  g_rank = rank;
}

static void iprobe(void) {
  int flag;
  MPI_Iprobe(MPI_ANY_SOURCE, 77, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
  g_flag = flag;
}

static void self_message(void) {
  double out = 1, in;
  MPI_Request requests[2];
  MPI_Irecv(&in, 1, MPI_DOUBLE, 0, 7, MPI_COMM_SELF, &requests[0]);
  MPI_Isend(&out, 1, MPI_DOUBLE, 0, 7, MPI_COMM_SELF, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

/* `calls`: MPI calls in one run. */
static inline int calls_of_batch(int calls) { return (kBatchCalls + calls - 1) / calls * calls; }

/* ns a call of one batch. Inlined for each work, so that the call through the pointer is none. */
static inline __attribute__((always_inline)) double batch(void (*run)(void), int calls) {
  const double begin = now_ns();
  for (int i = 0; i < kBatchCalls; i += calls) run();
  return (now_ns() - begin) / calls_of_batch(calls);
}

/* Reports what a call takes; returns how many there were. */
static inline __attribute__((always_inline)) double measure(const char* name, void (*run)(void), int calls, long bursts,
                                                            long sustained) {
  static Samples samples;
  char text[64];
  samples.count = 0;
  double burst_ns = 0;
  for (long burst = 0; burst < bursts; ++burst) {
    pause_ms(kPauseMs);
    for (int i = 0; i < kBurstBatches; ++i) {
      const double ns = batch(run, calls);
      if (i == 0) continue; /* the first one wakes the core up */
      add_sample(&samples, ns);
      burst_ns += ns;
    }
  }
  snprintf(text, sizeof text, "%s.burst", name);
  report(text, median(&samples));
  snprintf(text, sizeof text, "%s.burst_mean", name);
  report(text, burst_ns / (double)(bursts * (kBurstBatches - 1)));

  samples.count = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = now_ns(), begin_cpu = cpu_ns();
  const long batches = sustained / kBatchCalls + 1;
  for (long i = 0; i < batches; ++i) add_sample(&samples, batch(run, calls));
  const double total_cpu = cpu_ns() - begin_cpu, total = now_ns() - begin;
  const double all_calls = (double)batches * calls_of_batch(calls);
  snprintf(text, sizeof text, "%s.sustained", name);
  report(text, median(&samples));
  snprintf(text, sizeof text, "%s.sustained_mean", name);
  report(text, total / all_calls);
  snprintf(text, sizeof text, "%s.sustained_cpu", name);
  report(text, total_cpu / all_calls);
  return (double)bursts * kBurstBatches * calls_of_batch(calls) + all_calls;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const long bursts = argument(argc, argv, 1, 100, 1000000);
  const long sustained = argument(argc, argv, 2, 1000000, 1000000000);
  measure("clock_pair", clock_pair, 1, bursts, sustained);
  double calls = measure("comm_rank", comm_rank, 1, bursts, sustained);
  calls += measure("iprobe", iprobe, 1, bursts, sustained / 4);
  calls += measure("self_message", self_message, 3, bursts, sustained);
  report_end(calls);
  MPI_Finalize();
  return 0;
}
