// SPDX-License-Identifier: Apache-2.0
// Calls that fail, with MPI_ERRORS_RETURN and with a handler of the program's own. Prints what rank 0 gets: a traced
// run must print the same.
#include "subject.h"

static int handled;

static void handler(MPI_Comm* comm, int* code, ...) {
  (void)comm, (void)code;
  ++handled;
}

// MPICH's codes hold a number of the occurrence, so that only their classes can be compared.
static void report(const char* what, int code) {
  int error_class = -1;
  MPI_Error_class(code, &error_class);
  if (rank == 0) printf("%s: class %d, handler called %d times\n", what, error_class, handled);
  handled = 0;
}

static void fail_in_every_way(void) {
  int value = 0, flag = 0;
  MPI_Status status;
  MPI_Request request = MPI_REQUEST_NULL;
  const MPI_Comm world = MPI_COMM_WORLD;
  report("send to a rank that is not there", MPI_Send(&value, 1, MPI_INT, size + 5, 0, world));
  report("send of a negative count", MPI_Send(&value, -1, MPI_INT, 0, 0, world));
  report("send with a negative tag", MPI_Send(&value, 1, MPI_INT, 0, -7, world));
  report("send of no datatype", MPI_Send(&value, 1, MPI_DATATYPE_NULL, 0, 0, world));
  report("isend to a rank that is not there", MPI_Isend(&value, 1, MPI_INT, -9, 0, world, &request));
  report("irecv of a negative count", MPI_Irecv(&value, -2, MPI_INT, 0, 0, world, &request));
  report("receive from a rank that is not there", MPI_Recv(&value, 1, MPI_INT, size, 0, world, &status));
  report("receive without a status", MPI_Recv(&value, 1, MPI_INT, size, 0, world, MPI_STATUS_IGNORE));
  report("sendrecv", MPI_Sendrecv(&value, 1, MPI_INT, size, 0, &value, 1, MPI_INT, size, 0, world, MPI_STATUS_IGNORE));
  report("probe", MPI_Probe(size + 1, 0, world, &status));
  report("iprobe", MPI_Iprobe(size + 1, 0, world, &flag, &status));
  report("waitall of a negative count", MPI_Waitall(-1, &request, MPI_STATUSES_IGNORE));
  int outcount = 77, indices[1] = {77};
  report("waitsome of a negative count", MPI_Waitsome(-1, &request, &outcount, indices, MPI_STATUSES_IGNORE));
  report("testsome of a negative count", MPI_Testsome(-1, &request, &outcount, indices, &status));
  report("testall of a negative count", MPI_Testall(-1, &request, &flag, &status));
  report("bcast from a root that is not there", MPI_Bcast(&value, 1, MPI_INT, size + 1, world));
  report("bcast of no datatype", MPI_Bcast(&value, 1, MPI_DATATYPE_NULL, 0, world));
  report("allreduce without an operation", MPI_Allreduce(&value, &flag, 1, MPI_INT, MPI_OP_NULL, world));
  report("gather to a root that is not there", MPI_Gather(&value, 1, MPI_INT, &flag, 1, MPI_INT, -5, world));
  report("send on no communicator", MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_NULL));
  report("rank without a place for it", MPI_Comm_rank(world, NULL));
  report("type of a negative count", MPI_Type_contiguous(-1, MPI_INT, &(MPI_Datatype){MPI_DATATYPE_NULL}));
}

/// A collective that only one rank begins with an error, and repeats; one that succeeds only at its root.
static void repeat(void) {
  int values[4] = {rank, rank, rank, rank}, sum = 0, code = MPI_SUCCESS;
  if (rank == size - 1) code = MPI_Bcast(values, 1, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD);
  REQUIRE((code != MPI_SUCCESS) == (rank == size - 1));
  MPI_Bcast(values, 1, MPI_INT, 0, MPI_COMM_WORLD);
  REQUIRE(values[0] == 0);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  REQUIRE(sum == size * (size - 1) / 2);
  if (size == 2) {
    code = MPI_Bcast(values, rank == 0 ? 4 : 2, MPI_INT, 0, MPI_COMM_WORLD);
    REQUIRE((code != MPI_SUCCESS) == (rank == 1));
  }
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  fail_in_every_way();
  MPI_Errhandler own;
  MPI_Comm_create_errhandler(handler, &own);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, own);
  fail_in_every_way();
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  repeat();
  MPI_Errhandler_free(&own);
  return end("errors");
}
