// SPDX-License-Identifier: Apache-2.0
// One file in every way that MPI has to read and write it: each rank has its block of 16 bytes in each row.
#include "subject.h"

#include <unistd.h>

enum { kInts = 4, kBytes = kInts * sizeof(int) };

static MPI_Offset slot(int row) { return ((MPI_Offset)row * size + rank) * kBytes; }

int main(int argc, char** argv) {
  begin(&argc, &argv);
  char name[256] = "";
  if (rank == 0) {
    const char* const folder = getenv("TMPDIR");
    snprintf(name, sizeof name, "%s/meridian-files-%ld", folder != NULL ? folder : "/tmp", (long)getpid());
  }
  MPI_Bcast(name, sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD);
  const int out[kInts] = {rank, rank, rank, rank};
  int in[kInts] = {-1};
  int row = 0;
  MPI_File file;
  MPI_Request request;
  MPI_Status status;

  REQUIRE(MPI_File_open(MPI_COMM_WORLD, "/nowhere/at all", MPI_MODE_RDONLY, MPI_INFO_NULL, &file) != MPI_SUCCESS);
  REQUIRE(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file) == MPI_SUCCESS);
  MPI_File_set_size(file, 0);
  MPI_File_write_at(file, slot(row++), out, kInts, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_write_at_all(file, slot(row++), out, kInts, MPI_INT, &status);
  MPI_File_iwrite_at(file, slot(row++), out, kInts, MPI_INT, &request);
  MPI_Wait(&request, &status);
  MPI_File_iwrite_at_all(file, slot(row++), out, kInts, MPI_INT, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_File_write_at_all_begin(file, slot(row++), out, kInts, MPI_INT);
  MPI_File_write_at_all_end(file, out, &status);
  MPI_File_seek(file, slot(row++), MPI_SEEK_SET);
  MPI_File_write(file, out, kInts, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_seek(file, slot(row++), MPI_SEEK_SET);
  MPI_File_write_all(file, out, kInts, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_seek(file, slot(row++), MPI_SEEK_SET);
  MPI_File_iwrite(file, out, kInts, MPI_INT, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_File_write_at(file, slot(row), NULL, 0, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_sync(file);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < row; ++i) {
    MPI_File_read_at(file, slot(i), in, kInts, MPI_INT, i % 2 == 0 ? &status : MPI_STATUS_IGNORE);
    REQUIRE(in[0] == rank && in[kInts - 1] == rank);
    in[0] = -1;
  }
  MPI_File_read_at_all(file, slot(0), in, kInts, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_iread_at(file, slot(1), in, kInts, MPI_INT, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_File_read_at_all_begin(file, slot(2), in, kInts, MPI_INT);
  MPI_File_read_at_all_end(file, in, MPI_STATUS_IGNORE);
  REQUIRE(in[0] == rank);
  MPI_File_close(&file);
  REQUIRE(file == MPI_FILE_NULL);

  // Again under the same name, through a view.
  MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
  MPI_File_set_view(file, rank * kBytes, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
  MPI_File_read_all(file, in, kInts, MPI_INT, &status);
  REQUIRE(in[0] == rank);
  MPI_File_close(&file);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) MPI_File_delete(name, MPI_INFO_NULL);
  return end("files");
}
