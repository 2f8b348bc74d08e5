// SPDX-License-Identifier: Apache-2.0
/* 8 bytes to and fro between two ranks with MPI_Send and MPI_Recv: ns a round trip, which is four calls.
 * bench_pingpong [bursts = 100] [sustained round trips = 200000] */
#define _POSIX_C_SOURCE 200809L
#include "bench.h"

enum { kBatchTrips = 50, kBurstBatches = 10, kPauseMs = 3 };

static double batch(int rank) {
  double value = 0;
  const double begin = now_ns();
  for (int i = 0; i < kBatchTrips; ++i) {
    if (rank == 0) {
      MPI_Send(&value, 1, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD);
      MPI_Recv(&value, 1, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (rank == 1) {
      MPI_Recv(&value, 1, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(&value, 1, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD);
    }
  }
  return (now_ns() - begin) / kBatchTrips;
}

int main(int argc, char** argv) {
  static Samples samples;
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size != 2) {
    if (rank == 0) fprintf(stderr, "%s: needs 2 ranks\n", argv[0]);
    MPI_Finalize();
    return 2;
  }
  const long bursts = argument(argc, argv, 1, 100, 1000000);
  const long sustained = argument(argc, argv, 2, 200000, 1000000000);
  double burst_ns = 0;
  for (long burst = 0; burst < bursts; ++burst) {
    pause_ms(kPauseMs);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < kBurstBatches; ++i) {
      const double ns = batch(rank);
      if (i == 0) continue; /* the first one wakes the cores up */
      add_sample(&samples, ns);
      burst_ns += ns;
    }
  }
  report("pingpong.burst", median(&samples));
  report("pingpong.burst_mean", burst_ns / (double)(bursts * (kBurstBatches - 1)));

  samples.count = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  const long batches = sustained / kBatchTrips + 1;
  const double begin = now_ns();
  for (long i = 0; i < batches; ++i) add_sample(&samples, batch(rank));
  const double total = now_ns() - begin;
  report("pingpong.sustained", median(&samples));
  report("pingpong.sustained_mean", total / ((double)batches * kBatchTrips));
  report_end(2.0 * kBatchTrips * (double)(batches + bursts * kBurstBatches));
  MPI_Finalize();
  return 0;
}
