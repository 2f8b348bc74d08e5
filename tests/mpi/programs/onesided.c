// SPDX-License-Identifier: Apache-2.0
// One-sided communication: a named window by fences, one of a named communicator by start and post, one by locks, with
// MPI_PROC_NULL as target, nothing to move, requests, and an error that is returned.
#include "subject.h"

enum { kCells = 8 };

static void by_fences(void) {
  int cells[kCells] = {0}, old = -1, got[2] = {-1, -1};
  const int mine[2] = {rank, rank}, one = 1, nobody = -1;
  MPI_Win window;
  MPI_Win_create(cells, sizeof cells, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  if (rank == 0) MPI_Win_set_name(window, "halo");
  MPI_Win_fence(MPI_MODE_NOPRECEDE, window);
  MPI_Put(mine, 2, MPI_INT, next, 0, 2, MPI_INT, window);
  MPI_Put(mine, 2, MPI_INT, MPI_PROC_NULL, 0, 2, MPI_INT, window);
  MPI_Put(NULL, 0, MPI_INT, next, 4, 0, MPI_INT, window);
  MPI_Accumulate(&one, 1, MPI_INT, 0, 5, 1, MPI_INT, MPI_SUM, window);
  MPI_Win_fence(0, window);
  MPI_Get(got, 2, MPI_INT, rank, 0, 2, MPI_INT, window);
  MPI_Win_fence(0, window);
  REQUIRE(got[0] == previous && got[1] == previous);
  REQUIRE(rank != 0 || cells[5] == size);
  MPI_Fetch_and_op(&one, &old, MPI_INT, next, 6, MPI_SUM, window);
  MPI_Compare_and_swap(&one, &nobody, &got[0], MPI_INT, next, 7, window);
  MPI_Win_fence(0, window);
  REQUIRE(old == 0 && got[0] == 0);
  MPI_Get_accumulate(&one, 1, MPI_INT, &old, 1, MPI_INT, next, 6, 1, MPI_INT, MPI_SUM, window);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
  REQUIRE(old == 1);
  MPI_Win_free(&window);
  REQUIRE(window == MPI_WIN_NULL);
}

static void by_groups(void) {
  MPI_Comm grid;
  MPI_Group all, to, from;
  MPI_Win window;
  double* base = NULL;
  const double value = rank;
  MPI_Comm_dup(MPI_COMM_WORLD, &grid);
  MPI_Comm_set_name(grid, "grid");
  MPI_Win_allocate(kCells * sizeof(double), sizeof(double), MPI_INFO_NULL, grid, &base, &window);
  *base = -1;
  MPI_Barrier(grid);
  MPI_Comm_group(grid, &all);
  MPI_Group_incl(all, 1, &next, &to);
  MPI_Group_incl(all, 1, &previous, &from);
  MPI_Win_post(from, 0, window);
  MPI_Win_start(to, 0, window);
  MPI_Put(&value, 1, MPI_DOUBLE, next, 0, 1, MPI_DOUBLE, window);
  MPI_Win_complete(window);
  MPI_Win_wait(window);
  REQUIRE(*base == previous);
  MPI_Group_free(&to);
  MPI_Group_free(&from);
  MPI_Group_free(&all);
  MPI_Win_free(&window);
  MPI_Comm_free(&grid);
}

static void by_locks(void) {
  long* base = NULL;
  const long value = 100 + rank;
  long got = -1;
  MPI_Win window;
  MPI_Request request;
  MPI_Win_allocate(2 * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &window);
  base[0] = base[1] = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next, 0, window);
  MPI_Rput(&value, 1, MPI_LONG, next, 0, 1, MPI_LONG, window, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Win_flush(next, window);
  MPI_Win_unlock(next, window);
  MPI_Win_lock_all(0, window);
  MPI_Rget(&got, 1, MPI_LONG, next, 0, 1, MPI_LONG, window, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Win_flush_local_all(window);
  MPI_Win_unlock_all(window);
  REQUIRE(got == value);
  MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
  MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, window);
  REQUIRE(MPI_Put(&value, 1, MPI_LONG, size + 5, 0, 1, MPI_LONG, window) != MPI_SUCCESS);
  MPI_Win_unlock(rank, window);
  MPI_Win_free(&window);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  by_fences();
  by_groups();
  by_locks();
  return end("onesided");
}
