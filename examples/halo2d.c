// SPDX-License-Identifier: Apache-2.0
/* Heat in a plate: a 5-point Jacobi stencil on a 2-D process grid. Every iteration exchanges halos with up to four
 * neighbours, computes with threads, and agrees on the residual. The result does not depend on the number of ranks.
 * halo2d [iterations = 20000] [rows = 128] [columns = 128] [threads = 2] */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kMaxThreads = 64 };

/* This rank's part of the plate with a frame of one cell, and the data that its threads share. */
typedef struct {
  int rows, columns;
  double *now, *next;
  int threads;
  int is_done;
  double residual[kMaxThreads]; /* per thread */
  pthread_barrier_t go, ready;
} Plate;

typedef struct {
  Plate* plate;
  int number;
} Worker;

static double* cell(const Plate* plate, double* field, int row, int column) {
  return field + (size_t)row * (size_t)(plate->columns + 2) + column;
}

/* One iteration over the rows of one thread. */
static void relax(Plate* plate, int thread) {
  const int first = 1 + plate->rows * thread / plate->threads;
  const int end = 1 + plate->rows * (thread + 1) / plate->threads;
  double residual = 0;
  for (int row = first; row < end; ++row) {
    const double* up = cell(plate, plate->now, row - 1, 0);
    const double* here = cell(plate, plate->now, row, 0);
    const double* down = cell(plate, plate->now, row + 1, 0);
    double* out = cell(plate, plate->next, row, 0);
    for (int column = 1; column <= plate->columns; ++column) {
      out[column] = 0.25 * (up[column] + down[column] + here[column - 1] + here[column + 1]);
      const double change = fabs(out[column] - here[column]);
      if (change > residual) residual = change;
    }
  }
  plate->residual[thread] = residual;
}

static void* work(void* argument) {
  const Worker* worker = argument;
  for (;;) {
    pthread_barrier_wait(&worker->plate->go);
    if (worker->plate->is_done) return NULL;
    relax(worker->plate, worker->number);
    pthread_barrier_wait(&worker->plate->ready);
  }
}

/* Lets all threads relax their rows, the calling one included. Returns the largest change of a cell. */
static double iterate(Plate* plate) {
  if (plate->threads > 1) pthread_barrier_wait(&plate->go);
  relax(plate, 0);
  if (plate->threads > 1) pthread_barrier_wait(&plate->ready);
  double residual = 0;
  for (int thread = 0; thread < plate->threads; ++thread)
    if (plate->residual[thread] > residual) residual = plate->residual[thread];
  double* swapped = plate->now;
  plate->now = plate->next;
  plate->next = swapped;
  return residual;
}

static void exchange(const Plate* plate, MPI_Comm grid, const int neighbours[4], MPI_Datatype column_type) {
  enum { kUp, kDown, kLeft, kRight };
  const int rows = plate->rows, columns = plate->columns;
  MPI_Request requests[8];
  MPI_Irecv(cell(plate, plate->now, 0, 1), columns, MPI_DOUBLE, neighbours[kUp], 0, grid, &requests[0]);
  MPI_Irecv(cell(plate, plate->now, rows + 1, 1), columns, MPI_DOUBLE, neighbours[kDown], 0, grid, &requests[1]);
  MPI_Irecv(cell(plate, plate->now, 1, 0), 1, column_type, neighbours[kLeft], 0, grid, &requests[2]);
  MPI_Irecv(cell(plate, plate->now, 1, columns + 1), 1, column_type, neighbours[kRight], 0, grid, &requests[3]);
  MPI_Isend(cell(plate, plate->now, 1, 1), columns, MPI_DOUBLE, neighbours[kUp], 0, grid, &requests[4]);
  MPI_Isend(cell(plate, plate->now, rows, 1), columns, MPI_DOUBLE, neighbours[kDown], 0, grid, &requests[5]);
  MPI_Isend(cell(plate, plate->now, 1, 1), 1, column_type, neighbours[kLeft], 0, grid, &requests[6]);
  MPI_Isend(cell(plate, plate->now, 1, columns), 1, column_type, neighbours[kRight], 0, grid, &requests[7]);
  MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
}

/* Sum of all cells' bit patterns modulo 2^64: independent of the order, sensitive to every bit. */
static uint64_t checksum(const Plate* plate) {
  uint64_t sum = 0;
  for (int row = 1; row <= plate->rows; ++row)
    for (int column = 1; column <= plate->columns; ++column) {
      uint64_t bits;
      memcpy(&bits, cell(plate, plate->now, row, column), sizeof bits);
      sum += bits;
    }
  return sum;
}

static int argument_or(int argc, char** argv, int index, int otherwise) {
  return argc > index ? atoi(argv[index]) : otherwise;
}

int main(int argc, char** argv) {
  int provided, rank, size;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  const int iterations = argument_or(argc, argv, 1, 20000);
  const int plate_rows = argument_or(argc, argv, 2, 128);
  const int plate_columns = argument_or(argc, argv, 3, 128);
  const int threads = argument_or(argc, argv, 4, 2);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);

  int dims[2] = {0, 0}, place[2], neighbours[4];
  const int is_periodic[2] = {0, 0};
  MPI_Comm grid;
  MPI_Dims_create(size, 2, dims);
  if (threads < 1 || threads > kMaxThreads || plate_rows < dims[0] || plate_columns < dims[1]) {
    if (rank == 0) fprintf(stderr, "halo2d: needs 1 to %d threads and a cell per rank\n", kMaxThreads);
    MPI_Finalize();
    return 1;
  }
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, is_periodic, 0, &grid);
  MPI_Cart_coords(grid, rank, 2, place);
  MPI_Cart_shift(grid, 0, 1, &neighbours[0], &neighbours[1]);
  MPI_Cart_shift(grid, 1, 1, &neighbours[2], &neighbours[3]);

  Plate plate = {.threads = threads};
  plate.rows = plate_rows * (place[0] + 1) / dims[0] - plate_rows * place[0] / dims[0];
  plate.columns = plate_columns * (place[1] + 1) / dims[1] - plate_columns * place[1] / dims[1];
  const size_t cells = (size_t)(plate.rows + 2) * (size_t)(plate.columns + 2);
  plate.now = calloc(cells, sizeof(double));
  plate.next = calloc(cells, sizeof(double));
  if (!plate.now || !plate.next) MPI_Abort(MPI_COMM_WORLD, 1);
  if (place[0] == 0) /* the plate's upper edge is hot, the others are cold */
    for (int column = 0; column < plate.columns + 2; ++column)
      *cell(&plate, plate.now, 0, column) = *cell(&plate, plate.next, 0, column) = 1.0;
  MPI_Datatype column_type;
  MPI_Type_vector(plate.rows, 1, plate.columns + 2, MPI_DOUBLE, &column_type);
  MPI_Type_commit(&column_type);

  pthread_t handles[kMaxThreads];
  Worker workers[kMaxThreads];
  pthread_barrier_init(&plate.go, NULL, (unsigned)threads);
  pthread_barrier_init(&plate.ready, NULL, (unsigned)threads);
  for (int i = 1; i < threads; ++i) {
    workers[i] = (Worker){&plate, i};
    if (pthread_create(&handles[i], NULL, work, &workers[i]) != 0) MPI_Abort(MPI_COMM_WORLD, 1);
  }

  double residual = 0;
  for (int i = 0; i < iterations; ++i) {
    exchange(&plate, grid, neighbours, column_type);
    const double mine = iterate(&plate);
    MPI_Allreduce(&mine, &residual, 1, MPI_DOUBLE, MPI_MAX, grid);
  }

  plate.is_done = 1;
  if (threads > 1) pthread_barrier_wait(&plate.go);
  for (int i = 1; i < threads; ++i) pthread_join(handles[i], NULL);
  const uint64_t mine = checksum(&plate);
  uint64_t total = 0;
  MPI_Reduce(&mine, &total, 1, MPI_UINT64_T, MPI_SUM, 0, grid);
  if (rank == 0)
    printf("halo2d: %d x %d cells, %d iterations, residual %.6e, checksum %016llx\n", plate_rows, plate_columns,
           iterations, residual, (unsigned long long)total);
  MPI_Type_free(&column_type);
  MPI_Comm_free(&grid);
  MPI_Finalize();
  return 0;
}
