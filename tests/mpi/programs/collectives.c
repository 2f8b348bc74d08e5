// SPDX-License-Identifier: Apache-2.0
// Every collective of an intracommunicator: blocking and not, vectors, in place. Each rank's block is one int.
#include <stdlib.h>

#include "subject.h"

static int *out, *in, *counts, *places, *byte_places;
static MPI_Datatype* types;

static void fill(void) {
  for (int i = 0; i < size; ++i) {
    out[i] = rank * 100 + i;
    in[i] = -1;
  }
}

static void blocking(void) {
  int one = rank, got = -1;
  MPI_Barrier(MPI_COMM_WORLD);
  fill();
  MPI_Bcast(&one, 1, MPI_INT, size - 1, MPI_COMM_WORLD);
  REQUIRE(one == size - 1);
  MPI_Gather(&rank, 1, MPI_INT, in, 1, MPI_INT, 0, MPI_COMM_WORLD);
  REQUIRE(rank != 0 || in[size - 1] == size - 1);
  MPI_Gatherv(&rank, 1, MPI_INT, in, counts, places, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Scatter(out, 1, MPI_INT, &got, 1, MPI_INT, 0, MPI_COMM_WORLD);
  REQUIRE(got == rank);
  MPI_Scatterv(out, counts, places, MPI_INT, &got, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Allgather(&rank, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD);
  MPI_Allgatherv(&rank, 1, MPI_INT, in, counts, places, MPI_INT, MPI_COMM_WORLD);
  REQUIRE(in[size - 1] == size - 1);
  MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD);
  REQUIRE(in[size - 1] == (size - 1) * 100 + rank);
  MPI_Alltoallv(out, counts, places, MPI_INT, in, counts, places, MPI_INT, MPI_COMM_WORLD);
  MPI_Alltoallw(out, counts, byte_places, types, in, counts, byte_places, types, MPI_COMM_WORLD);
  MPI_Reduce(&rank, &got, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  REQUIRE(rank != 0 || got == size * (size - 1) / 2);
  MPI_Allreduce(&rank, &got, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  REQUIRE(got == size * (size - 1) / 2);
  MPI_Reduce_scatter(out, &got, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Reduce_scatter_block(out, &got, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  REQUIRE(got == 100 * size * (size - 1) / 2 + size * rank);
  MPI_Scan(&rank, &got, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  REQUIRE(got == rank * (rank + 1) / 2);
  MPI_Exscan(&rank, &got, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void nonblocking(void) {
  int one = rank, got[5];
  MPI_Request r[17];
  fill();
  int* const more = calloc((size_t)size * 6, sizeof(int));
  MPI_Ibarrier(MPI_COMM_WORLD, &r[0]);
  MPI_Ibcast(&one, 1, MPI_INT, 0, MPI_COMM_WORLD, &r[1]);
  MPI_Igather(&rank, 1, MPI_INT, in, 1, MPI_INT, 0, MPI_COMM_WORLD, &r[2]);
  MPI_Igatherv(&rank, 1, MPI_INT, more, counts, places, MPI_INT, 0, MPI_COMM_WORLD, &r[3]);
  MPI_Iscatter(out, 1, MPI_INT, &got[0], 1, MPI_INT, 0, MPI_COMM_WORLD, &r[4]);
  MPI_Iscatterv(out, counts, places, MPI_INT, &got[1], 1, MPI_INT, 0, MPI_COMM_WORLD, &r[5]);
  MPI_Iallgather(&rank, 1, MPI_INT, more + size, 1, MPI_INT, MPI_COMM_WORLD, &r[6]);
  MPI_Iallgatherv(&rank, 1, MPI_INT, more + 2 * size, counts, places, MPI_INT, MPI_COMM_WORLD, &r[7]);
  MPI_Ialltoall(out, 1, MPI_INT, more + 3 * size, 1, MPI_INT, MPI_COMM_WORLD, &r[8]);
  MPI_Ialltoallv(out, counts, places, MPI_INT, more + 4 * size, counts, places, MPI_INT, MPI_COMM_WORLD, &r[9]);
  MPI_Ialltoallw(out, counts, byte_places, types, more + 5 * size, counts, byte_places, types, MPI_COMM_WORLD, &r[10]);
  MPI_Waitall(11, r, MPI_STATUSES_IGNORE);
  MPI_Ireduce(&rank, &got[0], 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD, &r[11]);
  MPI_Iallreduce(&rank, &got[1], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r[12]);
  MPI_Ireduce_scatter(out, &got[2], counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r[13]);
  MPI_Ireduce_scatter_block(out, &got[3], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r[14]);
  MPI_Iscan(&rank, &got[4], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r[15]);
  MPI_Iexscan(&rank, more, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r[16]);
  MPI_Waitall(6, r + 11, MPI_STATUSES_IGNORE);
  REQUIRE(got[1] == size * (size - 1) / 2 && got[2] == got[3] && got[4] == rank * (rank + 1) / 2);
  free(more);
}

static void in_place(void) {
  int sum = rank;
  fill();
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  REQUIRE(sum == size * (size - 1) / 2);
  sum = rank;
  MPI_Reduce(rank == 0 ? MPI_IN_PLACE : &sum, rank == 0 ? &sum : NULL, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  in[rank] = rank;
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 1, MPI_INT, MPI_COMM_WORLD);
  REQUIRE(in[0] == 0 && in[size - 1] == size - 1);
  in[rank] = rank + 7;
  MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, counts, places, MPI_INT, MPI_COMM_WORLD);
  MPI_Gather(rank == 0 ? MPI_IN_PLACE : &rank, 1, MPI_INT, in, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Scatter(out, 1, MPI_INT, rank == 0 ? MPI_IN_PLACE : &sum, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, out, 1, MPI_INT, MPI_COMM_WORLD);
  REQUIRE(out[size - 1] == (size - 1) * 100 + rank);
  MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, out, counts, places, MPI_INT, MPI_COMM_WORLD);
  MPI_Alltoallw(MPI_IN_PLACE, NULL, NULL, NULL, out, counts, byte_places, types, MPI_COMM_WORLD);
  sum = rank;
  MPI_Scan(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  REQUIRE(sum == rank * (rank + 1) / 2);
  MPI_Reduce_scatter_block(MPI_IN_PLACE, out, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
}

// Arguments that the standard does not look at may be anything.
static void insignificant(void) {
  const void* const garbage = (const void*)8;
  int got = 0;
  MPI_Gatherv(&rank, 1, MPI_INT, in, rank == 0 ? counts : garbage, rank == 0 ? places : garbage, MPI_INT, 0,
              MPI_COMM_WORLD);
  MPI_Scatterv(out, rank == 0 ? counts : garbage, rank == 0 ? places : garbage, MPI_INT, &got, 1, MPI_INT, 0,
               MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  out = calloc((size_t)size, sizeof(int));
  in = calloc((size_t)size, sizeof(int));
  counts = calloc((size_t)size, sizeof(int));
  places = calloc((size_t)size, sizeof(int));
  byte_places = calloc((size_t)size, sizeof(int));
  types = calloc((size_t)size, sizeof(MPI_Datatype));
  for (int i = 0; i < size; ++i) {
    counts[i] = 1;
    places[i] = i;
    byte_places[i] = i * (int)sizeof(int);
    types[i] = MPI_INT;
  }
  blocking();
  nonblocking();
  in_place();
  insignificant();
  return end("collectives");
}
