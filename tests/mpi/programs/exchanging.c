// SPDX-License-Identifier: Apache-2.0
/* exchanging FILE: messages around the ranks, of sizes that differ, and a collective in each round, until the file
 * exists. Every other message is received without blocking. */
#include <unistd.h>

#include "subject.h"

int main(int argc, char** argv) {
  begin(&argc, &argv);
  static char out[4096], in[4096];
  int go = argc > 1;
  for (int i = 0; go; ++i) {
    const int bytes = 1 + i % 4096;
    out[0] = (char)i;
    MPI_Request request;
    if (i % 2 == 0) {
      MPI_Irecv(in, 4096, MPI_CHAR, previous, 1, MPI_COMM_WORLD, &request);
      MPI_Send(out, bytes, MPI_CHAR, next, 1, MPI_COMM_WORLD);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
      MPI_Isend(out, bytes, MPI_CHAR, next, 1, MPI_COMM_WORLD, &request);
      MPI_Recv(in, 4096, MPI_CHAR, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    REQUIRE(in[0] == (char)i);
    const int mine = rank == 0 && access(argv[1], F_OK) == 0 ? 0 : 1;
    MPI_Allreduce(&mine, &go, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    usleep(200);
  }
  return end("exchanging");
}
