// SPDX-License-Identifier: Apache-2.0
// Isend, Ibsend, Issend, Irsend and Irecv, completed in each of the eight ways, with and without statuses.
#include "subject.h"

enum { kMessages = 6, kWays = 8 };

static int out[kMessages], in[kMessages];
static MPI_Request requests[2 * kMessages];
static MPI_Status statuses[2 * kMessages];

static void start(int way) {
  for (int i = 0; i < kMessages; ++i) {
    in[i] = -1;
    out[i] = way * 100 + rank * 10 + i;
    MPI_Irecv(&in[i], 1, MPI_INT, previous, i, MPI_COMM_WORLD, &requests[i]);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < kMessages; ++i) {
    MPI_Request* const request = &requests[kMessages + i];
    switch (i % 4) {
      case 0:
        MPI_Isend(&out[i], 1, MPI_INT, next, i, MPI_COMM_WORLD, request);
        break;
      case 1:
        MPI_Ibsend(&out[i], 1, MPI_INT, next, i, MPI_COMM_WORLD, request);
        break;
      case 2:
        MPI_Issend(&out[i], 1, MPI_INT, next, i, MPI_COMM_WORLD, request);
        break;
      default:
        MPI_Irsend(&out[i], 1, MPI_INT, next, i, MPI_COMM_WORLD, request);
        break;
    }
  }
}

static void complete(int way, int with_status) {
  const int all = 2 * kMessages;
  int index = 0, flag = 0, done = 0, count = 0, indices[2 * kMessages];
  MPI_Status* const one = with_status ? &statuses[0] : MPI_STATUS_IGNORE;
  MPI_Status* const many = with_status ? statuses : MPI_STATUSES_IGNORE;
  switch (way) {
    case 0:
      for (int i = 0; i < all; ++i) MPI_Wait(&requests[i], one);
      break;
    case 1:
      for (int i = 0; i < all; ++i)
        for (flag = 0; !flag;) MPI_Test(&requests[i], &flag, one);
      break;
    case 2:
      for (int i = 0; i < all; ++i) MPI_Waitany(all, requests, &index, one);
      break;
    case 3:
      for (done = 0; done < all; done += flag) MPI_Testany(all, requests, &index, &flag, one);
      break;
    case 4:
      for (done = 0; done < all; done += count) MPI_Waitsome(all, requests, &count, indices, many);
      break;
    case 5:
      for (done = 0; done < all; done += count) MPI_Testsome(all, requests, &count, indices, many);
      break;
    case 6:
      MPI_Waitall(all, requests, many);
      break;
    default:
      for (flag = 0; !flag;) MPI_Testall(all, requests, &flag, many);
      break;
  }
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  static char space[1 << 16];
  MPI_Buffer_attach(space, sizeof space);
  for (int way = 0; way < kWays; ++way) {
    for (int with_status = 0; with_status < 2; ++with_status) {
      start(way);
      complete(way, with_status);
      for (int i = 0; i < kMessages; ++i) REQUIRE(in[i] == way * 100 + previous * 10 + i);
      for (int i = 0; i < 2 * kMessages; ++i) REQUIRE(requests[i] == MPI_REQUEST_NULL);
      if (with_status && way == 6) REQUIRE(statuses[3].MPI_SOURCE == previous && statuses[3].MPI_TAG == 3);
    }
  }
  void* returned = NULL;
  int bytes = 0;
  MPI_Buffer_detach(&returned, &bytes);
  return end("nonblocking");
}
