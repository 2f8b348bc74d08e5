// SPDX-License-Identifier: Apache-2.0
// Known calls on files. Rank 0 writes a checkpoint with fsync while the others wait, by large files' names; each rank then uses a file of its
// own by descriptors, vectors, offsets and streams, and MPI-IO. Prints the bytes that it moved and the seconds that rank 0 took.
//
//   file_calls DIRECTORY ROUNDS
#define _GNU_SOURCE
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#define MIB (1 << 20)

static void check(int is_true, const char* what) {
  if (is_true) return;
  perror(what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static char path_text[4096];
static const char* path_of(const char* directory, const char* name, int rank) {
  snprintf(path_text, sizeof path_text, "%s/%s.%d", directory, name, rank);
  return path_text;
}

static double write_checkpoint(const char* directory, const char* data) {
  const double begin = MPI_Wtime();
  const int file = open64(path_of(directory, "checkpoint", 0), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  check(file >= 0, "open64");
  for (int i = 0; i < 8; ++i) check(write(file, data, MIB) == MIB, "write");
  check(fsync(file) == 0, "fsync");
  check(close(file) == 0, "close");
  return MPI_Wtime() - begin;
}

static void use_descriptors(const char* directory, int rank, char* data) {
  const int file = open(path_of(directory, "own", rank), O_RDWR | O_CREAT, 0600);
  check(file >= 0, "open");
  check(pwrite(file, data, 1000, 5000) == 1000, "pwrite");
  struct iovec pieces[2] = {{data, 100}, {data + 100, 200}};
  check(writev(file, pieces, 2) == 300, "writev");
  check(pread(file, data, 4096, 0) == 4096, "pread");
  check(lseek(file, 0, SEEK_SET) == 0, "lseek");
  check(readv(file, pieces, 2) == 300, "readv");
  for (int i = 0; i < 57; ++i) check(read(file, data, 100) == 100, "read");
  check(read(file, data, 100) == 0, "read at the end");
  check(ftruncate(file, 10) == 0, "ftruncate");
  const int other = dup(file);
  check(write(other, data, 7) == 7, "write to a copy");
  check(close(other) == 0 && close(file) == 0, "close");
  check(open("/nowhere/there", O_RDONLY) == -1, "a file that is not there");
  // A descriptor that was a file's becomes that of a pipe.
  int ends[2];
  check(pipe(ends) == 0 && write(ends[1], data, 10) == 10 && read(ends[0], data, 10) == 10, "pipe");
  close(ends[0]), close(ends[1]);
  const int numbers = open("/proc/self/stat", O_RDONLY);
  check(numbers >= 0 && read(numbers, data, 10) == 10 && close(numbers) == 0, "/proc/self/stat");
}

static void use_streams(const char* directory, int rank, char* data) {
  FILE* const stream = fopen(path_of(directory, "stream", rank), "w+");
  check(stream != NULL, "fopen");
  check(fwrite(data, 1, 100000, stream) == 100000, "fwrite");
  check(fprintf(stream, "a line\n") == 7, "fprintf");
  check(fflush(stream) == 0, "fflush");
  rewind(stream);
  check(fread(data, 1000, 60, stream) == 60, "fread");
  check(fclose(stream) == 0, "fclose");
}

static void use_mpi_io(const char* directory, int rank, const char* data) {
  MPI_File file;
  snprintf(path_text, sizeof path_text, "%s/shared", directory);
  MPI_File_open(MPI_COMM_WORLD, path_text, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
  MPI_File_write_at(file, (MPI_Offset)rank * MIB, data, MIB, MPI_BYTE, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc != 3) MPI_Abort(MPI_COMM_WORLD, 1);
  char* const data = malloc(MIB);
  memset(data, 1, MIB);
  double seconds = 0;
  for (int i = 0; i < atoi(argv[2]); ++i) {
    if (rank == 0) seconds += write_checkpoint(argv[1], data);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (rank == 0) printf("checkpoint_s %f\n", seconds);
  use_descriptors(argv[1], rank, data);
  use_streams(argv[1], rank, data);
  use_mpi_io(argv[1], rank, data);
  free(data);
  MPI_Finalize();
  return 0;
}
