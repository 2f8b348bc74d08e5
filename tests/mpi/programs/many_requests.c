// SPDX-License-Identifier: Apache-2.0
// 5000 requests in one Waitall, with and without statuses, and in Waitsome, Testall, Startall.
#include "subject.h"

enum { kRequests = 5000, kHalf = kRequests / 2 };

static int in[kHalf], out[kHalf], indices[kRequests];
static MPI_Request requests[kRequests];
static MPI_Status statuses[kRequests];

static void start(void) {
  for (int i = 0; i < kHalf; ++i) {
    in[i] = -1;
    out[i] = rank * kHalf + i;
    MPI_Irecv(&in[i], 1, MPI_INT, previous, i, MPI_COMM_WORLD, &requests[i]);
  }
  for (int i = 0; i < kHalf; ++i) MPI_Isend(&out[i], 1, MPI_INT, next, i, MPI_COMM_WORLD, &requests[kHalf + i]);
}

static void check(void) {
  for (int i = 0; i < kHalf; ++i) REQUIRE(in[i] == previous * kHalf + i);
  for (int i = 0; i < kRequests; ++i) REQUIRE(requests[i] == MPI_REQUEST_NULL);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  start();
  MPI_Waitall(kRequests, requests, MPI_STATUSES_IGNORE);
  check();
  start();
  MPI_Waitall(kRequests, requests, statuses);
  check();
  for (int i = 0; i < kHalf; ++i) REQUIRE(statuses[i].MPI_SOURCE == previous && statuses[i].MPI_TAG == i);
  start();
  for (int done = 0, count = 0; done < kRequests; done += count) {
    MPI_Waitsome(kRequests, requests, &count, indices, done % 2 ? statuses : MPI_STATUSES_IGNORE);
    REQUIRE(count > 0);
  }
  check();
  start();
  for (int flag = 0; !flag;) MPI_Testall(kRequests, requests, &flag, MPI_STATUSES_IGNORE);
  check();
  for (int i = 0; i < kHalf; ++i) {
    MPI_Recv_init(&in[i], 1, MPI_INT, previous, i, MPI_COMM_WORLD, &requests[i]);
    MPI_Send_init(&out[i], 1, MPI_INT, next, i, MPI_COMM_WORLD, &requests[kHalf + i]);
  }
  MPI_Startall(kRequests, requests);
  MPI_Waitall(kRequests, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < kRequests; ++i) MPI_Request_free(&requests[i]);
  check();
  return end("many_requests");
}
