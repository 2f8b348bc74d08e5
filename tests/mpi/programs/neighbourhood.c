// SPDX-License-Identifier: Apache-2.0
// Neighbourhood collectives on a periodic line (cart), on a ring (graph), and on a one-way ring (dist_graph).
#include "subject.h"

enum { kMost = 2 };

static void exchange(MPI_Comm comm, int in_count, int out_count) {
  int out[kMost] = {rank, rank}, in[kMost];
  const int counts[kMost] = {1, 1}, places[kMost] = {0, 1};
  const MPI_Aint bytes[kMost] = {0, sizeof(int)};
  const MPI_Datatype types[kMost] = {MPI_INT, MPI_INT};
  MPI_Neighbor_allgather(out, 1, MPI_INT, in, 1, MPI_INT, comm);
  for (int i = 0; i < in_count; ++i) REQUIRE(in[i] == previous || in[i] == next);
  MPI_Neighbor_allgatherv(out, 1, MPI_INT, in, counts, places, MPI_INT, comm);
  MPI_Neighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, comm);
  MPI_Neighbor_alltoallv(out, counts, places, MPI_INT, in, counts, places, MPI_INT, comm);
  MPI_Neighbor_alltoallw(out, counts, bytes, types, in, counts, bytes, types, comm);
  for (int i = 0; i < in_count; ++i) REQUIRE(in[i] == previous || in[i] == next);
  MPI_Request request;
  MPI_Ineighbor_allgather(out, 1, MPI_INT, in, 1, MPI_INT, comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Ineighbor_allgatherv(out, 1, MPI_INT, in, counts, places, MPI_INT, comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Ineighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Ineighbor_alltoallv(out, counts, places, MPI_INT, in, counts, places, MPI_INT, comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Ineighbor_alltoallw(out, counts, bytes, types, in, counts, bytes, types, comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  REQUIRE(out_count > 0);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  MPI_Comm comm;
  const int is_periodic = 1;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &is_periodic, 0, &comm);
  exchange(comm, 2, 2);
  MPI_Comm_free(&comm);

  int index[64], edges[128];
  for (int i = 0; i < size; ++i) {
    index[i] = 2 * (i + 1);
    edges[2 * i] = (i + size - 1) % size;
    edges[2 * i + 1] = (i + 1) % size;
  }
  MPI_Graph_create(MPI_COMM_WORLD, size, index, edges, 0, &comm);
  exchange(comm, 2, 2);
  MPI_Comm_free(&comm);

  const int weight = 1;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &previous, &weight, 1, &next, &weight, MPI_INFO_NULL, 0, &comm);
  exchange(comm, 1, 1);
  MPI_Comm_free(&comm);
  const int degree = 1;
  MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &degree, &next, &weight, MPI_INFO_NULL, 0, &comm);
  exchange(comm, 1, 1);
  MPI_Comm_free(&comm);
  return end("neighbourhood");
}
