// SPDX-License-Identifier: Apache-2.0
/* Every kind of collective: blocking, non-blocking, v and w, in place, neighbourhood, on the world, on a duplicate, on
 * two halves, and between the halves.
 * collectives [rounds = 10] */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kBlock = 4, kMaxRequests = 32 }; /* kBlock: ints that a rank sends to each other rank */

/* Buffers and layouts for one communicator. In the v and w calls rank r contributes r + 1 ints. */
typedef struct {
  MPI_Comm comm;
  int rank, size;
  size_t ints;           /* room in each buffer */
  int* out;              /* ints that this rank contributes */
  int* in[kMaxRequests]; /* one for each call under way */
  int used;
  int *one, *one_at;                 /* r + 1 ints from rank r, packed */
  int *mine, *mine_at;               /* rank + 1 ints for everybody, packed */
  int *one_bytes_at, *mine_bytes_at; /* the same in bytes, for w */
  int* blocks;                       /* kBlock for everybody */
  MPI_Datatype* types;
  uint64_t checksum;
} Team;

static void* room(size_t count, size_t bytes) {
  void* memory = calloc(count, bytes);
  if (!memory) MPI_Abort(MPI_COMM_WORLD, 1);
  return memory;
}

static Team make_team(MPI_Comm comm) {
  Team team = {.comm = comm};
  MPI_Comm_rank(comm, &team.rank);
  MPI_Comm_size(comm, &team.size);
  const size_t size = (size_t)team.size;
  team.ints = size * (size + kBlock);
  team.out = room(team.ints, sizeof(int));
  for (int i = 0; i < kMaxRequests; ++i) team.in[i] = room(team.ints, sizeof(int));
  int** lists[] = {&team.one,          &team.one_at,        &team.mine,  &team.mine_at,
                   &team.one_bytes_at, &team.mine_bytes_at, &team.blocks};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; ++i) *lists[i] = room(size, sizeof(int));
  team.types = room(size, sizeof(MPI_Datatype));
  for (int r = 0, at = 0; r < team.size; at += ++r) {
    team.one[r] = r + 1;
    team.one_at[r] = at;
    team.one_bytes_at[r] = at * (int)sizeof(int);
    team.mine[r] = team.rank + 1;
    team.mine_at[r] = r * (team.rank + 1);
    team.mine_bytes_at[r] = team.mine_at[r] * (int)sizeof(int);
    team.blocks[r] = kBlock;
    team.types[r] = MPI_INT;
  }
  for (size_t i = 0; i < team.ints; ++i) team.out[i] = team.rank * 1000 + (int)i;
  return team;
}

static void free_team(Team* team) {
  for (int i = 0; i < kMaxRequests; ++i) free(team->in[i]);
  int* lists[] = {team->out,     team->one,          team->one_at,        team->mine,
                  team->mine_at, team->one_bytes_at, team->mine_bytes_at, team->blocks};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; ++i) free(lists[i]);
  free(team->types);
}

/* A receive buffer for the next call, filled with this rank's own numbers, so that it serves Bcast and in-place calls
   too. */
static int* next_in(Team* team) {
  int* in = team->in[team->used++];
  memcpy(in, team->out, team->ints * sizeof(int));
  return in;
}

/* Adds every used buffer to the checksum. */
static void fold(Team* team) {
  for (int i = 0; i < team->used; ++i)
    for (size_t k = 0; k < team->ints; ++k) team->checksum = team->checksum * 1099511628211u + (uint64_t)team->in[i][k];
  team->used = 0;
}

static void blocking(Team* t) {
  const int last = t->size - 1;
  MPI_Barrier(t->comm);
  MPI_Bcast(next_in(t), kBlock, MPI_INT, last, t->comm);
  MPI_Gather(t->out, kBlock, MPI_INT, next_in(t), kBlock, MPI_INT, 0, t->comm);
  MPI_Gatherv(t->out, t->rank + 1, MPI_INT, next_in(t), t->one, t->one_at, MPI_INT, last, t->comm);
  MPI_Scatter(t->out, kBlock, MPI_INT, next_in(t), kBlock, MPI_INT, 0, t->comm);
  MPI_Scatterv(t->out, t->one, t->one_at, MPI_INT, next_in(t), t->rank + 1, MPI_INT, last, t->comm);
  MPI_Allgather(t->out, kBlock, MPI_INT, next_in(t), kBlock, MPI_INT, t->comm);
  MPI_Allgatherv(t->out, t->rank + 1, MPI_INT, next_in(t), t->one, t->one_at, MPI_INT, t->comm);
  MPI_Alltoall(t->out, kBlock, MPI_INT, next_in(t), kBlock, MPI_INT, t->comm);
  MPI_Alltoallv(t->out, t->one, t->one_at, MPI_INT, next_in(t), t->mine, t->mine_at, MPI_INT, t->comm);
  MPI_Alltoallw(t->out, t->one, t->one_bytes_at, t->types, next_in(t), t->mine, t->mine_bytes_at, t->types, t->comm);
  MPI_Reduce(t->out, next_in(t), kBlock, MPI_INT, MPI_SUM, 0, t->comm);
  MPI_Allreduce(t->out, next_in(t), kBlock, MPI_INT, MPI_MAX, t->comm);
  MPI_Reduce_scatter(t->out, next_in(t), t->blocks, MPI_INT, MPI_SUM, t->comm);
  MPI_Reduce_scatter_block(t->out, next_in(t), kBlock, MPI_INT, MPI_SUM, t->comm);
  MPI_Scan(t->out, next_in(t), kBlock, MPI_INT, MPI_SUM, t->comm);
  MPI_Exscan(t->out, next_in(t), kBlock, MPI_INT, MPI_SUM, t->comm);
  fold(t);
}

static void in_place(Team* t) {
  MPI_Allreduce(MPI_IN_PLACE, next_in(t), kBlock, MPI_INT, MPI_SUM, t->comm);
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, next_in(t), kBlock, MPI_INT, t->comm);
  MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, next_in(t), kBlock, MPI_INT, t->comm);
  int* in = next_in(t);
  const int is_root = t->rank == 0;
  MPI_Reduce(is_root ? MPI_IN_PLACE : in, is_root ? in : NULL, kBlock, MPI_INT, MPI_SUM, 0, t->comm);
  fold(t);
}

/* Starts all of them at once: several collectives are under way on one communicator. */
static void non_blocking(Team* t) {
  const int last = t->size - 1;
  MPI_Request requests[kMaxRequests];
  MPI_Request* q = requests;
  MPI_Ibarrier(t->comm, q++);
  MPI_Ibcast(next_in(t), kBlock, MPI_INT, last, t->comm, q++);
  MPI_Igather(t->out, kBlock, MPI_INT, next_in(t), kBlock, MPI_INT, 0, t->comm, q++);
  MPI_Igatherv(t->out, t->rank + 1, MPI_INT, next_in(t), t->one, t->one_at, MPI_INT, last, t->comm, q++);
  MPI_Iscatter(t->out, kBlock, MPI_INT, next_in(t), kBlock, MPI_INT, 0, t->comm, q++);
  MPI_Iscatterv(t->out, t->one, t->one_at, MPI_INT, next_in(t), t->rank + 1, MPI_INT, last, t->comm, q++);
  MPI_Iallgather(t->out, kBlock, MPI_INT, next_in(t), kBlock, MPI_INT, t->comm, q++);
  MPI_Iallgatherv(t->out, t->rank + 1, MPI_INT, next_in(t), t->one, t->one_at, MPI_INT, t->comm, q++);
  MPI_Ialltoall(t->out, kBlock, MPI_INT, next_in(t), kBlock, MPI_INT, t->comm, q++);
  MPI_Ialltoallv(t->out, t->one, t->one_at, MPI_INT, next_in(t), t->mine, t->mine_at, MPI_INT, t->comm, q++);
  MPI_Ialltoallw(t->out, t->one, t->one_bytes_at, t->types, next_in(t), t->mine, t->mine_bytes_at, t->types, t->comm,
                 q++);
  MPI_Ireduce(t->out, next_in(t), kBlock, MPI_INT, MPI_SUM, 0, t->comm, q++);
  MPI_Iallreduce(t->out, next_in(t), kBlock, MPI_INT, MPI_MAX, t->comm, q++);
  MPI_Ireduce_scatter(t->out, next_in(t), t->blocks, MPI_INT, MPI_SUM, t->comm, q++);
  MPI_Ireduce_scatter_block(t->out, next_in(t), kBlock, MPI_INT, MPI_SUM, t->comm, q++);
  MPI_Iscan(t->out, next_in(t), kBlock, MPI_INT, MPI_SUM, t->comm, q++);
  MPI_Iexscan(t->out, next_in(t), kBlock, MPI_INT, MPI_SUM, t->comm, q++);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Waitall((int)(q - requests) - 1, requests + 1, MPI_STATUSES_IGNORE);
  fold(t);
}

/* Neighbours on a line; the ranks at the ends have one neighbour each. */
static void neighbourhood(Team* t) {
  const int is_periodic = 0;
  MPI_Comm line;
  MPI_Request request;
  MPI_Cart_create(t->comm, 1, &t->size, &is_periodic, 0, &line);
  const int counts[2] = {kBlock, kBlock}, at[2] = {0, kBlock};
  const MPI_Aint bytes_at[2] = {0, kBlock * sizeof(int)};
  const MPI_Datatype types[2] = {MPI_INT, MPI_INT};
  int* twice = room(2 * kBlock, sizeof(int));
  memcpy(twice, t->out, kBlock * sizeof(int));
  memcpy(twice + kBlock, t->out, kBlock * sizeof(int));
  int* in[6];
  for (int i = 0; i < 6; ++i) in[i] = room(2 * kBlock, sizeof(int));
  MPI_Neighbor_allgather(t->out, kBlock, MPI_INT, in[0], kBlock, MPI_INT, line);
  MPI_Neighbor_allgatherv(t->out, kBlock, MPI_INT, in[1], counts, at, MPI_INT, line);
  MPI_Neighbor_alltoall(twice, kBlock, MPI_INT, in[2], kBlock, MPI_INT, line);
  MPI_Neighbor_alltoallv(twice, counts, at, MPI_INT, in[3], counts, at, MPI_INT, line);
  MPI_Neighbor_alltoallw(twice, counts, bytes_at, types, in[4], counts, bytes_at, types, line);
  MPI_Ineighbor_alltoall(twice, kBlock, MPI_INT, in[5], kBlock, MPI_INT, line, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int i = 0; i < 6; ++i) {
    for (int k = 0; k < 2 * kBlock; ++k) t->checksum = t->checksum * 1099511628211u + (uint64_t)in[i][k];
    free(in[i]);
  }
  free(twice);
  MPI_Comm_free(&line);
}

/* Collectives between the halves of the world. `half` is this rank's own, `side` 0 or 1. */
static void between_halves(Team* half, int side) {
  MPI_Comm bridge, merged;
  MPI_Intercomm_create(half->comm, 0, MPI_COMM_WORLD, 1 - side, 5, &bridge);
  int numbers[kBlock] = {0};
  memcpy(numbers, half->out, sizeof numbers);
  const int root = side == 1 ? 0 : half->rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
  MPI_Bcast(numbers, kBlock, MPI_INT, root, bridge);
  MPI_Allreduce(half->out, next_in(half), kBlock, MPI_INT, MPI_SUM, bridge);
  MPI_Barrier(bridge);
  fold(half);
  for (int k = 0; k < kBlock; ++k) half->checksum = half->checksum * 1099511628211u + (uint64_t)numbers[k];
  MPI_Intercomm_merge(bridge, side, &merged);
  MPI_Barrier(merged);
  MPI_Comm_free(&merged);
  MPI_Comm_free(&bridge);
}

static void everything(Team* team) {
  blocking(team);
  in_place(team);
  non_blocking(team);
  neighbourhood(team);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rounds = argc > 1 ? atoi(argv[1]) : 10;
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm copy, half;
  const int side = rank % 2;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Comm_split(MPI_COMM_WORLD, side, rank, &half);
  Team teams[3] = {make_team(MPI_COMM_WORLD), make_team(copy), make_team(half)};

  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < 3; ++i) everything(&teams[i]);
    if (size > 1) between_halves(&teams[2], side);
  }

  uint64_t mine = 0, total = 0;
  for (int i = 0; i < 3; ++i) {
    mine += teams[i].checksum * (uint64_t)(i + 1);
    free_team(&teams[i]);
  }
  MPI_Reduce(&mine, &total, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("collectives: %d rounds, checksum %016llx\n", rounds, (unsigned long long)total);
  MPI_Comm_free(&half);
  MPI_Comm_free(&copy);
  MPI_Finalize();
  return 0;
}
