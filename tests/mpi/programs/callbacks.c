// SPDX-License-Identifier: Apache-2.0
// MPI calls that the program makes from inside MPI: reduction operator, attribute functions, error handler. They run
// within a call of the program's, which is what is recorded.
#include "subject.h"

static int inside;

static void add(void* in, void* inout, int* count, MPI_Datatype* type) {
  int bytes = 0;
  MPI_Type_size(*type, &bytes);
  ++inside;
  for (int i = 0; i < *count; ++i) ((int*)inout)[i] += ((int*)in)[i];
}

static int copy(MPI_Comm comm, int key, void* extra, void* value, void* made, int* flag) {
  int me = 0;
  MPI_Comm_rank(comm, &me);
  ++inside;
  (void)key, (void)extra;
  *(void**)made = value;
  *flag = me == rank;
  return MPI_SUCCESS;
}

static int drop(MPI_Comm comm, int key, void* value, void* extra) {
  int all = 0;
  MPI_Comm_size(comm, &all);
  ++inside;
  (void)key, (void)extra, (void)value;
  return MPI_SUCCESS;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  MPI_Op op;
  int sum[2] = {rank, 1}, key = 0;
  MPI_Op_create(add, 1, &op);
  MPI_Allreduce(MPI_IN_PLACE, sum, 2, MPI_INT, op, MPI_COMM_WORLD);
  REQUIRE(sum[0] == size * (size - 1) / 2 && sum[1] == size);
  MPI_Op_free(&op);
  MPI_Comm comm, copied;
  MPI_Comm_create_keyval(copy, drop, &key, NULL);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_attr(comm, key, &inside);
  MPI_Comm_dup(comm, &copied);
  MPI_Comm_free(&copied);
  MPI_Comm_free(&comm);
  MPI_Comm_free_keyval(&key);
  REQUIRE(inside >= 3);
  MPI_Barrier(MPI_COMM_WORLD);
  return end("callbacks");
}
