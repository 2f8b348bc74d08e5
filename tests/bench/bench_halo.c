// SPDX-License-Identifier: Apache-2.0
/* A program as users write them: a stencil on rows of a plate, halos to both neighbours, the residual agreed on in
 * every iteration: six calls. ns an iteration. bench_halo [iterations = 20000] [rows of a rank = 32] [columns = 128] */
#define _POSIX_C_SOURCE 200809L
#include <math.h>

#include "bench.h"

enum { kCallsOfIteration = 6 };

static double relax(const double* now, double* next, long rows, long columns) {
  double residual = 0;
  for (long row = 1; row <= rows; ++row)
    for (long column = 1; column < columns - 1; ++column) {
      const double* here = now + row * columns + column;
      const double value = 0.25 * (here[-1] + here[1] + here[-columns] + here[columns]);
      residual = fmax(residual, fabs(value - *here));
      next[row * columns + column] = value;
    }
  return residual;
}

int main(int argc, char** argv) {
  static Samples samples;
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const long iterations = argument(argc, argv, 1, 20000, 1000000000);
  const long rows = argument(argc, argv, 2, 32, 100000);
  const int columns = (int)argument(argc, argv, 3, 128, 100000);
  const int up = rank > 0 ? rank - 1 : MPI_PROC_NULL, down = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
  double* now = calloc((size_t)(rows + 2) * (size_t)columns, sizeof(double));
  double* next = calloc((size_t)(rows + 2) * (size_t)columns, sizeof(double));
  if (!now || !next) MPI_Abort(MPI_COMM_WORLD, 1);
  for (int column = 0; rank == 0 && column < columns; ++column) now[column] = next[column] = 1;

  double residual = 0;
  const double start = now_ns();
  for (long i = 0; i < iterations; ++i) {
    MPI_Request requests[4];
    const double begin = now_ns();
    MPI_Irecv(now, columns, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(now + (rows + 1) * columns, columns, MPI_DOUBLE, down, 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(now + columns, columns, MPI_DOUBLE, up, 2, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(now + rows * columns, columns, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    const double mine = relax(now, next, rows, columns);
    MPI_Allreduce(&mine, &residual, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    double* const swapped = now;
    now = next;
    next = swapped;
    add_sample(&samples, now_ns() - begin);
  }
  const double total = now_ns() - start;
  report("halo.iteration", median(&samples));
  report("halo.iteration_mean", total / (double)iterations);
  report_end(kCallsOfIteration * (double)iterations);
  if (rank == 0) printf("# residual %.17g\n", residual);
  free(now);
  free(next);
  MPI_Finalize();
  return 0;
}
