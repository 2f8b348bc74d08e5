// SPDX-License-Identifier: Apache-2.0
/* An iterative solver that describes its work in the trace: regions, a counter, events with values, and messages of its
 * own. Without the tracer these calls do nothing.
 * regions [iterations = 50] [cells of each rank = 20000] */
#include <meridian/user.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, size;

/* Exchanges the edges with the left and right neighbours, by means of a layer of the program's own on top of MPI. */
static void exchange(double* cells, int count, int iteration) {
  MERIDIAN_REGION("exchange");
  const int left = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  const int right = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
  if (left != MPI_PROC_NULL) MERIDIAN_SEND("halo", left, iteration, sizeof(double));
  if (right != MPI_PROC_NULL) MERIDIAN_SEND("halo", right, iteration, sizeof(double));
  MPI_Sendrecv(&cells[1], 1, MPI_DOUBLE, left, 0, &cells[count + 1], 1, MPI_DOUBLE, right, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Sendrecv(&cells[count], 1, MPI_DOUBLE, right, 1, &cells[0], 1, MPI_DOUBLE, left, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  if (left != MPI_PROC_NULL) MERIDIAN_RECV("halo", left, iteration, sizeof(double));
  if (right != MPI_PROC_NULL) MERIDIAN_RECV("halo", right, iteration, sizeof(double));
}

static double relax(const double* from, double* to, int count) {
  MERIDIAN_REGION("relax");
  double change = 0;
  for (int i = 1; i <= count; ++i) {
    to[i] = (from[i - 1] + from[i] + from[i + 1]) / 3;
    change += (to[i] - from[i]) * (to[i] - from[i]);
  }
  return change;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int iterations = argc > 1 ? atoi(argv[1]) : 50;
  const int count = argc > 2 ? atoi(argv[2]) : 20000;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  double* now = calloc((size_t)count + 2, sizeof *now);
  double* next = calloc((size_t)count + 2, sizeof *next);
  if (now == NULL || next == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  for (int i = 0; i < count; ++i) now[i + 1] = (i + rank) % 7;

  MERIDIAN_MARKER("solver starts");
  double residual = 0;
  for (int iteration = 0; iteration < iterations; ++iteration) {
    MERIDIAN_REGION("iteration");
    exchange(now, count, iteration);
    const double change = relax(now, next, count);
    MPI_Allreduce(&change, &residual, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MERIDIAN_COUNTER("residual", residual);
    if (iteration % 10 == 0) MERIDIAN_EVENT(solver, PROGRESS, i64(iteration), f64(residual));
    double* const swapped = now;
    now = next;
    next = swapped;
  }
  if (rank == 0)
    printf("regions: %d iterations, %s\n", iterations, residual >= 0 ? "residual is a number" : "no residual");
  free(now);
  free(next);
  MPI_Finalize();
  return 0;
}
