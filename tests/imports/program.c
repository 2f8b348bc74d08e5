// SPDX-License-Identifier: Apache-2.0
// What an OTF2 archive has of MPI: messages of each kind of call, persistent requests, collectives of each shape, communicators.
#include <meridian/user.h>
#include <mpi.h>

enum { kSteps = 6, kInts = 64 };

static int out[4][kInts], in[4][kInts];

static void exchange(MPI_Comm comm, int next, int previous, int step) {
  MPI_Request requests[4];
  int done = 0;
  MERIDIAN_REGION("exchange");
  MPI_Irecv(in[0], kInts, MPI_INT, previous, 1, comm, &requests[0]);
  MPI_Isend(out[0], kInts, MPI_INT, next, 1, comm, &requests[1]);
  MPI_Irecv(in[1], step, MPI_INT, previous, 2, comm, &requests[2]);
  MPI_Issend(out[1], step, MPI_INT, next, 2, comm, &requests[3]);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  MPI_Sendrecv(out[2], kInts / 2, MPI_INT, next, 3, in[2], kInts, MPI_INT, previous, 3, comm, MPI_STATUS_IGNORE);
  MPI_Irecv(in[3], kInts, MPI_INT, MPI_ANY_SOURCE, 4, comm, &requests[0]);
  MPI_Isend(out[3], 2, MPI_INT, next, 4, comm, &requests[1]);
  while (!done) MPI_Test(&requests[0], &done, MPI_STATUS_IGNORE);
  MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
  MPI_Sendrecv(out[2], 1, MPI_INT, MPI_PROC_NULL, 3, in[2], 1, MPI_INT, MPI_PROC_NULL, 3, comm, MPI_STATUS_IGNORE);
}

static void repeat(MPI_Comm comm, int next, int previous) {
  MPI_Request requests[6];
  MPI_Send_init(out[0], 10, MPI_INT, next, 11, comm, &requests[0]);
  MPI_Send_init(out[1], 20, MPI_INT, next, 12, comm, &requests[1]);
  MPI_Send_init(out[1], 20, MPI_INT, next, 12, comm, &requests[2]);  // like the one before
  MPI_Recv_init(in[0], kInts, MPI_INT, previous, 11, comm, &requests[3]);
  MPI_Recv_init(in[1], kInts, MPI_INT, MPI_ANY_SOURCE, 12, comm, &requests[4]);
  MPI_Recv_init(in[2], kInts, MPI_INT, previous, 12, comm, &requests[5]);
  for (int step = 0; step < kSteps; ++step) {
    MERIDIAN_REGION("repeat");
    MPI_Start(&requests[5]);
    MPI_Startall(5, requests);
    MPI_Wait(&requests[4], MPI_STATUS_IGNORE);
    MPI_Waitall(6, requests, MPI_STATUSES_IGNORE);
  }
  for (int i = 0; i < 6; ++i) MPI_Request_free(&requests[i]);
}

static void collectives(MPI_Comm comm, int rank, int size) {
  static int all[64 * kInts], mine[64 * kInts];
  MPI_Request request;
  MPI_Bcast(all, 3, MPI_INT, size - 1, comm);
  MPI_Gather(out[0], 5, MPI_INT, all, 5, MPI_INT, 0, comm);
  MPI_Scatter(all, 4, MPI_INT, mine, 4, MPI_INT, 0, comm);
  MPI_Allgather(out[0], 2, MPI_INT, all, 2, MPI_INT, comm);
  MPI_Alltoall(all, 3, MPI_INT, mine, 3, MPI_INT, comm);
  MPI_Reduce(out[0], all, 7, MPI_INT, MPI_SUM, size - 1, comm);
  MPI_Allreduce(out[0], all, 6, MPI_INT, MPI_SUM, comm);
  MPI_Scan(out[0], all, 2, MPI_INT, MPI_SUM, comm);
  MPI_Exscan(out[0], all, 2, MPI_INT, MPI_SUM, comm);
  MPI_Reduce_scatter_block(all, mine, 2, MPI_INT, MPI_SUM, comm);
  MPI_Ibcast(all, 9, MPI_INT, 0, comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Barrier(comm);
  (void)rank;
}

int main(int argc, char** argv) {
  int rank, size, half_rank, half_size;
  MPI_Comm half, again;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
  MPI_Comm_dup(MPI_COMM_WORLD, &again);
  MPI_Comm_set_name(half, "half of \"them\"\t\xc3\xa4");
  MPI_Comm_rank(half, &half_rank);
  MPI_Comm_size(half, &half_size);
  for (int step = 0; step < kSteps; ++step) {
    exchange(MPI_COMM_WORLD, (rank + 1) % size, (rank + size - 1) % size, step);
    exchange(half, (half_rank + 1) % half_size, (half_rank + half_size - 1) % half_size, step);
  }
  repeat(again, (rank + 1) % size, (rank + size - 1) % size);
  collectives(MPI_COMM_WORLD, rank, size);
  collectives(half, half_rank, half_size);
  MPI_Barrier(MPI_COMM_SELF);
  MPI_Comm_free(&half);
  MPI_Comm_free(&again);
  MPI_Finalize();
  return 0;
}
