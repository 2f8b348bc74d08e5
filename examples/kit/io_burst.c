// SPDX-License-Identifier: Apache-2.0
/* Rank 0 alone writes results between the steps; the others wait for it at the barrier.
 * io_burst [rounds = 25] */
#include "examples/kit/kit.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rounds = argc > 1 ? atoi(argv[1]) : 25;
  int rank, size;
  start(&rank, &size, 2);

  static char results[1 << 20];
  MPI_File file;
  MPI_File_open(MPI_COMM_SELF, "io_burst.out", MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE,
                MPI_INFO_NULL, &file);
  double io_ms = 0;
  for (int round = 0; round < rounds; ++round) {
    work_ms(10);
    const double begin = now_ms();
    for (double now = begin; rank == 0 && now < begin + 20; io_ms += now_ms() - now, now = now_ms())
      MPI_File_write_at(file, 0, results, sizeof results, MPI_BYTE, MPI_STATUS_IGNORE);
    stamp(round);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  const int cause = __LINE__ - 4;
  MPI_File_close(&file);
  announce("input and output", -1, "MPI_File_write_at", io_ms / 1e3 + waited(rounds, -1, -1), 0, cause);
  MPI_Finalize();
  return 0;
}
