// SPDX-License-Identifier: Apache-2.0
// Every blocking send mode, short and long, to a receive that is posted, and to one that is not.
#include <string.h>

#include "subject.h"

enum { kShort = 1, kLong = 25000 };  // ints: 4 bytes and 100 000 bytes

typedef int (*Sender)(const void*, int, MPI_Datatype, int, int, MPI_Comm);

int main(int argc, char** argv) {
  begin(&argc, &argv);
  static int out[kLong], in[kLong];
  static char space[sizeof out + sizeof in + 4 * MPI_BSEND_OVERHEAD];
  const Sender senders[] = {MPI_Send, MPI_Bsend, MPI_Ssend, MPI_Rsend};
  MPI_Buffer_attach(space, sizeof space);
  for (int mode = 0; mode < 4; ++mode) {
    for (int count = kShort; count <= kLong; count += kLong - kShort) {
      for (int i = 0; i < count; ++i) out[i] = rank * 1000 + mode;
      memset(in, -1, sizeof in);
      MPI_Request request;
      MPI_Status status;
      MPI_Irecv(in, count, MPI_INT, previous, mode, MPI_COMM_WORLD, &request);
      MPI_Barrier(MPI_COMM_WORLD);
      senders[mode](out, count, MPI_INT, next, mode, MPI_COMM_WORLD);
      MPI_Wait(&request, &status);
      REQUIRE(in[0] == previous * 1000 + mode && in[count - 1] == in[0]);
      REQUIRE(status.MPI_SOURCE == previous && status.MPI_TAG == mode);
    }
  }
  MPI_Bsend(out, kShort, MPI_INT, next, 9, MPI_COMM_WORLD);
  MPI_Recv(in, kLong, MPI_INT, previous, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Bsend(out, kShort, MPI_INT, next, 9, MPI_COMM_WORLD);
  MPI_Status status;
  int count = 0;
  MPI_Recv(in, kLong, MPI_INT, previous, 9, MPI_COMM_WORLD, &status);
  MPI_Get_count(&status, MPI_INT, &count);
  REQUIRE(count == kShort && in[0] == previous * 1000 + 3);
  void* returned = NULL;
  int bytes = 0;
  MPI_Buffer_detach(&returned, &bytes);
  REQUIRE(returned == space && bytes == (int)sizeof space);
  return end("blocking");
}
