// SPDX-License-Identifier: Apache-2.0
// Persistent sends of every mode and receives, started one by one and together, and requests that are not started.
#include "subject.h"

enum { kKinds = 4, kRounds = 3 };

int main(int argc, char** argv) {
  begin(&argc, &argv);
  static char space[1 << 16];
  MPI_Buffer_attach(space, sizeof space);
  double out[kKinds], in[kKinds];
  MPI_Request receives[kKinds], sends[kKinds];
  for (int i = 0; i < kKinds; ++i) MPI_Recv_init(&in[i], 1, MPI_DOUBLE, previous, i, MPI_COMM_WORLD, &receives[i]);
  MPI_Send_init(&out[0], 1, MPI_DOUBLE, next, 0, MPI_COMM_WORLD, &sends[0]);
  MPI_Bsend_init(&out[1], 1, MPI_DOUBLE, next, 1, MPI_COMM_WORLD, &sends[1]);
  MPI_Ssend_init(&out[2], 1, MPI_DOUBLE, next, 2, MPI_COMM_WORLD, &sends[2]);
  MPI_Rsend_init(&out[3], 1, MPI_DOUBLE, next, 3, MPI_COMM_WORLD, &sends[3]);
  for (int round = 0; round < kRounds; ++round) {
    for (int i = 0; i < kKinds; ++i) {
      out[i] = rank + 0.25 * round + 10 * i;
      in[i] = -1;
    }
    if (round == 0) {
      for (int i = 0; i < kKinds; ++i) MPI_Start(&receives[i]);
    } else {
      MPI_Startall(kKinds, receives);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Startall(kKinds, sends);
    MPI_Status status;
    MPI_Wait(&receives[0], &status);
    REQUIRE(status.MPI_SOURCE == previous && status.MPI_TAG == 0);
    MPI_Waitall(kKinds, receives, MPI_STATUSES_IGNORE);  // the first is inactive by now
    MPI_Waitall(kKinds, sends, MPI_STATUSES_IGNORE);
    for (int i = 0; i < kKinds; ++i) REQUIRE(in[i] == previous + 0.25 * round + 10 * i);
  }
  int flag = 0;
  MPI_Test(&receives[1], &flag, MPI_STATUS_IGNORE);  // inactive: nothing completes
  REQUIRE(flag == 1 && receives[1] != MPI_REQUEST_NULL);
  for (int i = 0; i < kKinds; ++i) {
    MPI_Request_free(&receives[i]);
    MPI_Request_free(&sends[i]);
  }
  void* returned = NULL;
  int bytes = 0;
  MPI_Buffer_detach(&returned, &bytes);
  return end("persistent");
}
