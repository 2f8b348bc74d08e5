// SPDX-License-Identifier: Apache-2.0
// Functions of the program that MPI calls: an operation with designed processor time. Each rank prints its number, its processor time in the
// operation, and that of its work between polls, which MPI does not call.

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <time.h>

enum { kCalls = 20, kPolls = 40 };
static const double kOperation = 0.03, kBetween = 0.005;  // s

static double spent(void) {  // of this thread
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static volatile double sink;
static double in_operation_s, between_s;

__attribute__((noinline)) static void slow_sum(void* from, void* to, int* count, MPI_Datatype* type) {
  (void)type;
  const double begin = spent();
  double sum = 0;
  while (spent() < begin + kOperation)
    for (int i = 0; i < 20000; ++i) sum += sqrt(i + 1.0);
  sink = sum;
  for (int i = 0; i < *count; ++i) ((double*)to)[i] += ((double*)from)[i];
  in_operation_s += spent() - begin;
}

__attribute__((noinline)) static void work_between(void) {
  const double begin = spent();
  double sum = 0;
  while (spent() < begin + kBetween)
    for (int i = 0; i < 20000; ++i) sum += sqrt(i + 1.0);
  sink = sum;
  between_s += spent() - begin;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks, is_done = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Op operation;
  MPI_Op_create(&slow_sum, 1, &operation);
  double own = rank, all = 0;
  for (int i = 0; i < kCalls; ++i) MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, operation, MPI_COMM_WORLD);
  MPI_Request request;
  double received = 0;
  MPI_Irecv(&received, 1, MPI_DOUBLE, (rank + ranks - 1) % ranks, 7, MPI_COMM_WORLD, &request);
  for (int i = 0; i < kPolls; ++i) {
    MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
    work_between();
  }
  MPI_Send(&own, 1, MPI_DOUBLE, (rank + 1) % ranks, 7, MPI_COMM_WORLD);
  if (!is_done) MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Op_free(&operation);
  printf("%d %.6f %.6f\n", rank, in_operation_s, between_s);
  MPI_Finalize();
  return all == ranks * (ranks - 1) / 2.0 ? 0 : 1;
}
