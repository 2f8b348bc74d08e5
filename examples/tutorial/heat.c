// SPDX-License-Identifier: Apache-2.0
/* Heat spreads over a plate: the program of docs/TUTORIAL.md, with the problem that is found there.
 * heat [steps = 300] [rows = 1000] */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kColumns = 2000, kBlock = 256 };

/* The first row of a rank. Rows are dealt out in blocks; the last rank takes what remains. */
static int first_row(int rank, int size, int rows) {
#ifdef EVEN
  return (int)((long)rows * rank / size);
#else
  const int share = rows / size / kBlock * kBlock;
  return rank < size ? rank * share : rows;
#endif
}

/* One step on `rows` rows, which have a row of a neighbour above and below; returns the largest change. */
static double relax(const double* now, double* next, int rows) {
  double largest = 0;
  for (int row = 1; row <= rows; ++row)
    for (int column = 1; column < kColumns - 1; ++column) {
      const int i = row * kColumns + column;
      next[i] = 0.25 * (now[i - 1] + now[i + 1] + now[i - kColumns] + now[i + kColumns]);
      const double change = next[i] > now[i] ? next[i] - now[i] : now[i] - next[i];
      if (change > largest) largest = change;
    }
  return largest;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int steps = argc > 1 ? atoi(argv[1]) : 300;
  const int all_rows = argc > 2 ? atoi(argv[2]) : 1000;
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int rows = first_row(rank + 1, size, all_rows) - first_row(rank, size, all_rows);
  const int above = rank > 0 ? rank - 1 : MPI_PROC_NULL, below = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;

  const size_t cells = (size_t)(rows + 2) * kColumns;
  double* now = calloc(cells, sizeof *now);
  double* next = calloc(cells, sizeof *next);
  if (now == NULL || next == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  for (int column = 0; column < kColumns && rank == 0; ++column) now[column] = next[column] = 100;  // the hot edge

  double largest = 0;
  for (int step = 0; step < steps; ++step) {
    MPI_Sendrecv(now + kColumns, kColumns, MPI_DOUBLE, above, 0, now + (size_t)(rows + 1) * kColumns, kColumns,
                 MPI_DOUBLE, below, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(now + (size_t)rows * kColumns, kColumns, MPI_DOUBLE, below, 1, now, kColumns, MPI_DOUBLE, above, 1,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    const double change = relax(now, next, rows);
    MPI_Allreduce(&change, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    double* const swapped = now;
    now = next;
    next = swapped;
  }
  if (rank == 0) printf("heat: %d steps, %d rows, largest change %.6f\n", steps, all_rows, largest);
  free(now);
  free(next);
  MPI_Finalize();
  return 0;
}
