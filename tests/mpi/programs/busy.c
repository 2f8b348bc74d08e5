// SPDX-License-Identifier: Apache-2.0
/* busy COUNT [FILE]: COUNT probes; with a file, continues until it exists. */
#include <unistd.h>

#include "subject.h"

int main(int argc, char** argv) {
  begin(&argc, &argv);
  const int count = atoi(argv[1]);
  int flag = 0;
  for (int i = 0; i < count || (argc > 2 && access(argv[2], F_OK) != 0); ++i) {
    MPI_Iprobe(rank, 5, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    if (argc > 2 && i % 64 == 0) usleep(100);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  return end("busy");
}
