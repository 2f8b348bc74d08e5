// SPDX-License-Identifier: Apache-2.0
// Calls for the test of selection. Each rank sends to the next one, on one tag, 5 short and 5 long messages in turn with
// blocking calls, the same with non-blocking ones, and 3 short messages with persistent requests. There are 3 Allreduce on
// all ranks, 4 on a communicator of one rank, and 20 probes and 20 tests that find nothing.
#include <string.h>

#include "subject.h"

enum { kShort = 8, kLong = 65536, kEach = 5 };

static char out[kLong], in[2 * kEach][kLong];

static int bytes_of(int i) { return i % 2 == 0 ? kShort : kLong; }

static void blocking(void) {
  for (int i = 0; i < 2 * kEach; ++i) {
    out[0] = (char)i;
    MPI_Request request;
    MPI_Isend(out, bytes_of(i), MPI_CHAR, next, 1, MPI_COMM_WORLD, &request);
    MPI_Status status;
    MPI_Recv(in[0], kLong, MPI_CHAR, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status);
    int got = 0;
    MPI_Get_count(&status, MPI_CHAR, &got);
    REQUIRE(got == bytes_of(i) && in[0][0] == (char)i && status.MPI_SOURCE == previous);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

static void nonblocking(void) {
  MPI_Request requests[4 * kEach];
  for (int i = 0; i < 2 * kEach; ++i)
    MPI_Irecv(in[i], kLong, MPI_CHAR, i % 3 == 0 ? MPI_ANY_SOURCE : previous, 2, MPI_COMM_WORLD, &requests[i]);
  for (int i = 0; i < 2 * kEach; ++i)
    MPI_Isend(out, bytes_of(i), MPI_CHAR, next, 2, MPI_COMM_WORLD, &requests[2 * kEach + i]);
  MPI_Waitall(4 * kEach, requests, MPI_STATUSES_IGNORE);
}

static void persistent(void) {
  MPI_Request requests[2];
  MPI_Recv_init(in[0], kShort, MPI_CHAR, previous, 3, MPI_COMM_WORLD, &requests[0]);
  MPI_Send_init(out, kShort, MPI_CHAR, next, 3, MPI_COMM_WORLD, &requests[1]);
  for (int i = 0; i < 3; ++i) {
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
}

static void fruitless(void) {
  int flag = 0;
  MPI_Request request;
  MPI_Irecv(in[0], kShort, MPI_CHAR, previous, 4, MPI_COMM_WORLD, &request);
  for (int i = 0; i < 20; ++i) {
    MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    REQUIRE(!flag);
    MPI_Iprobe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    REQUIRE(!flag);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Send(out, kShort, MPI_CHAR, next, 4, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  MPI_Comm alone;
  MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &alone);
  blocking();
  nonblocking();
  persistent();
  int sum = 0;
  for (int i = 0; i < 3; ++i) MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  REQUIRE(sum == size * (size - 1) / 2);
  for (int i = 0; i < 4; ++i) MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, alone);
  REQUIRE(sum == rank);
  fruitless();
  MPI_Comm_free(&alone);
  return end("choosing");
}
