// SPDX-License-Identifier: Apache-2.0
/* Wait at file: all ranks write together, and the last one comes late to each MPI_File_write_at_all.
 * With Open MPI under OMPI_MCA_fcoll=vulcan: for few ranks it writes otherwise, without waits.
 * late_writer [rounds = 25] */
#include "examples/kit/kit.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rounds = argc > 1 ? atoi(argv[1]) : 25;
  int rank, size;
  start(&rank, &size, 2);

  enum { kPieces = 64, kPieceBytes = 1024 };
  static char results[kPieces * kPieceBytes];
  /* Pieces of all ranks alternate: libraries gather them in a few ranks, for which all have to come. */
  MPI_Datatype interleaved;
  MPI_Type_vector(kPieces, kPieceBytes, size * kPieceBytes, MPI_BYTE, &interleaved);
  MPI_Type_commit(&interleaved);
  MPI_File file;
  MPI_File_open(MPI_COMM_WORLD, "late_writer.out", MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE,
                MPI_INFO_NULL, &file);
  MPI_File_set_view(file, (MPI_Offset)rank * kPieceBytes, MPI_BYTE, interleaved, "native", MPI_INFO_NULL);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int round = 0; round < rounds; ++round) {
    work_ms(rank == size - 1 ? 25 : 5);
    stamp(round);
    MPI_File_write_at_all(file, 0, results, sizeof results, MPI_BYTE, MPI_STATUS_IGNORE);
  }
  const int cause = __LINE__ - 2;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_close(&file);
  MPI_Type_free(&interleaved);
  announce("wait at file", -1, "MPI_File_write_at_all", waited(rounds, -1, -1), size - 1, cause);
  MPI_Finalize();
  return 0;
}
