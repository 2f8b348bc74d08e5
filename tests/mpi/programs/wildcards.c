// SPDX-License-Identifier: Apache-2.0
// Rank 0 receives from any source with any tag, blocking and not, mixed with receives from a given source.
#include "subject.h"

enum { kRounds = 20 };

int main(int argc, char** argv) {
  begin(&argc, &argv);
  MPI_Request sends[2 * kRounds];
  for (int i = 0; i < kRounds; ++i) {
    MPI_Isend(&rank, 1, MPI_INT, 0, i, MPI_COMM_WORLD, &sends[2 * i]);
    MPI_Isend(&rank, 1, MPI_INT, 0, 1000, MPI_COMM_WORLD, &sends[2 * i + 1]);
  }
  if (rank == 0) {
    int in = 0;
    long sum = 0;
    for (int i = 0; i < kRounds; ++i) {
      for (int source = 0; source < size; ++source) {
        MPI_Status status;
        MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 1000, MPI_COMM_WORLD, &status);
        REQUIRE(in == status.MPI_SOURCE);
        sum += in;
      }
    }
    for (int i = 0; i < kRounds; ++i) {
      for (int source = size - 1; source >= 0; --source) {
        MPI_Request request;
        MPI_Irecv(&in, 1, MPI_INT, source, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        REQUIRE(in == source);
        sum += in;
      }
    }
    REQUIRE(sum == (long)kRounds * size * (size - 1));
  }
  MPI_Waitall(2 * kRounds, sends, MPI_STATUSES_IGNORE);
  return end("wildcards");
}
