// SPDX-License-Identifier: Apache-2.0
// Messages longer than the buffer that receives them, received in every way; after each, one that fits takes the same
// way, so that mixing them up shows. Long enough that no library keeps quiet about it.
#include "subject.h"

enum { kLong = 100000, kTag = 4, kOtherTag = 5 };

static int out[kLong], in[2];
static MPI_Request sending;

static void send_long(void) { MPI_Isend(out, kLong, MPI_INT, next, kTag, MPI_COMM_WORLD, &sending); }

static MPI_Request receive(void) {
  MPI_Request request;
  MPI_Irecv(in, 1, MPI_INT, previous, kTag, MPI_COMM_WORLD, &request);
  send_long();
  return request;
}

static void require_class(int code, int wanted) {
  int error_class = MPI_SUCCESS;
  MPI_Error_class(code, &error_class);
  REQUIRE(error_class == wanted);
  MPI_Wait(&sending, MPI_STATUS_IGNORE);
  MPI_Sendrecv(&rank, 1, MPI_INT, next, kTag, in, 1, MPI_INT, previous, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  REQUIRE(in[0] == previous);
}
static void require_truncated(int code) { require_class(code, MPI_ERR_TRUNCATE); }

static void blocking(void) {
  MPI_Status status;
  MPI_Message message;
  send_long();
  require_truncated(MPI_Recv(in, 1, MPI_INT, previous, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  send_long();
  require_truncated(MPI_Recv(in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status));
  REQUIRE(status.MPI_SOURCE == previous && status.MPI_TAG == kTag);
  sending = MPI_REQUEST_NULL;
  require_truncated(
      MPI_Sendrecv(out, kLong, MPI_INT, next, kTag, in, 1, MPI_INT, previous, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  send_long();
  MPI_Mprobe(previous, kTag, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
  require_truncated(MPI_Mrecv(in, 1, MPI_INT, &message, MPI_STATUS_IGNORE));
}

static void by_request(void) {
  MPI_Request request;
  MPI_Message message;
  send_long();
  MPI_Mprobe(previous, kTag, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
  MPI_Imrecv(in, 1, MPI_INT, &message, &request);
  require_truncated(MPI_Wait(&request, MPI_STATUS_IGNORE));
  request = receive();
  require_truncated(MPI_Wait(&request, MPI_STATUS_IGNORE));
  request = receive();
  int flag = 0, code = MPI_SUCCESS;
  while (!flag && code == MPI_SUCCESS) code = MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
  require_truncated(code);
}

static void one_of_two(void) {
  int index = -1, flag = 0, code = MPI_SUCCESS;
  MPI_Request requests[2] = {MPI_REQUEST_NULL, receive()};
  require_truncated(MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE));
  REQUIRE(index == 1);
  requests[1] = receive();
  while (!flag && code == MPI_SUCCESS) code = MPI_Testany(2, requests, &index, &flag, MPI_STATUS_IGNORE);
  require_truncated(code);
}

static void several(void) {
  MPI_Request requests[2] = {MPI_REQUEST_NULL, receive()};
  int outcount = 0, indices[2], flag = 0, code = MPI_SUCCESS;
  require_class(MPI_Waitsome(2, requests, &outcount, indices, MPI_STATUSES_IGNORE), MPI_ERR_IN_STATUS);
  requests[1] = receive();
  for (outcount = 0; outcount < 1 && code == MPI_SUCCESS;)
    code = MPI_Testsome(2, requests, &outcount, indices, MPI_STATUSES_IGNORE);
  require_class(code, MPI_ERR_IN_STATUS);
  requests[1] = receive();
  for (code = MPI_SUCCESS; !flag && code == MPI_SUCCESS;) code = MPI_Testall(2, requests, &flag, MPI_STATUSES_IGNORE);
  require_class(code, MPI_ERR_IN_STATUS);
  requests[0] = receive();
  MPI_Irecv(in + 1, 1, MPI_INT, previous, kOtherTag, MPI_COMM_WORLD, &requests[1]);
  MPI_Send(&rank, 1, MPI_INT, next, kOtherTag, MPI_COMM_WORLD);
  code = MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Wait(&requests[1], MPI_STATUS_IGNORE);  // some leave it pending
  require_class(code, MPI_ERR_IN_STATUS);
}

static MPI_Request start(void) {  // anew each time: some libraries free a request that failed
  MPI_Request request;
  MPI_Recv_init(in, 1, MPI_INT, previous, kTag, MPI_COMM_WORLD, &request);
  MPI_Start(&request);
  send_long();
  return request;
}

static void persistent(void) {
  int index = -1;
  MPI_Request request = start();
  require_truncated(MPI_Wait(&request, MPI_STATUS_IGNORE));
  if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
  request = start();
  require_truncated(MPI_Waitany(1, &request, &index, MPI_STATUS_IGNORE));
  if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  blocking();
  by_request();
  one_of_two();
  several();
  persistent();
  return end("truncated");
}
