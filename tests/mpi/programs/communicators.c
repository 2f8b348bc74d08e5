// SPDX-License-Identifier: Apache-2.0
// Every way to make a communicator; on each, a ring of messages with the same tag and a barrier, so that mixing them up
// shows. Handles are freed and made anew.
#include "subject.h"

static void use(MPI_Comm comm) {
  int me = 0, all = 0, got = -1;
  MPI_Comm_rank(comm, &me);
  MPI_Comm_size(comm, &all);
  MPI_Sendrecv(&me, 1, MPI_INT, (me + 1) % all, 7, &got, 1, MPI_INT, (me + all - 1) % all, 7, comm, MPI_STATUS_IGNORE);
  REQUIRE(got == (me + all - 1) % all);
  MPI_Barrier(comm);
}

static void use_and_free(MPI_Comm* comm) {
  if (*comm == MPI_COMM_NULL) return;
  use(*comm);
  MPI_Comm_free(comm);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  MPI_Comm comm, other;
  MPI_Group world, group;
  use(MPI_COMM_WORLD);
  use(MPI_COMM_SELF);
  for (int i = 0; i < 3; ++i) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_name(comm, "a duplicate");
    use_and_free(&comm);
  }
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_dup(comm, &other);
  use_and_free(&comm);
  use_and_free(&other);
  MPI_Comm_dup(MPI_COMM_SELF, &comm);
  use_and_free(&comm);
  MPI_Comm_dup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &comm);
  use_and_free(&comm);
  MPI_Request request;
  MPI_Comm_idup(MPI_COMM_WORLD, &comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  use_and_free(&comm);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &comm);  // reversed order
  use_and_free(&comm);
  MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : 1, 0, &comm);
  use_and_free(&comm);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comm);
  use_and_free(&comm);
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  const int last = size - 1;
  MPI_Group_incl(world, 1, &last, &group);
  MPI_Comm_create(MPI_COMM_WORLD, group, &comm);
  use_and_free(&comm);
  if (rank == last) {
    MPI_Comm_create_group(MPI_COMM_WORLD, group, 3, &comm);
    use_and_free(&comm);
  }
  MPI_Group_free(&group);
  MPI_Group_free(&world);

  int dims[2] = {0, 0};
  const int periods[2] = {1, 0}, keep[2] = {0, 1};
  MPI_Dims_create(size, 2, dims);
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &comm);
  MPI_Cart_sub(comm, keep, &other);
  use_and_free(&other);
  use_and_free(&comm);
  const int half[1] = {(size + 1) / 2};
  MPI_Cart_create(MPI_COMM_WORLD, 1, half, periods, 0, &comm);  // null at the other half
  use_and_free(&comm);
  use(MPI_COMM_WORLD);
  return end("communicators");
}
