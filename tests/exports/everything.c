// SPDX-License-Identifier: Apache-2.0
// A little of everything that an export may show: each way to send and receive, collectives, communicators, regions with
// hostile names, markers, messages of a layer of the program, a second thread.
#include <meridian/user.h>
#include <mpi.h>
#include <pthread.h>

enum { kSteps = 4, kInts = 100 };

static void* in_a_thread(void* argument) {
  MERIDIAN_REGION("in the thread");
  MERIDIAN_MARKER("a thread");
  return argument;
}

static void exchange(MPI_Comm comm, int next, int previous, int step) {
  int out[4][kInts] = {{0}}, in[4][kInts];
  MPI_Request requests[4];
  MERIDIAN_REGION("exchange");
  MPI_Irecv(in[0], kInts, MPI_INT, previous, 1, comm, &requests[0]);
  MPI_Isend(out[0], kInts, MPI_INT, next, 1, comm, &requests[1]);
  MPI_Irecv(in[1], step, MPI_INT, previous, 2, comm, &requests[2]);
  MPI_Issend(out[1], step, MPI_INT, next, 2, comm, &requests[3]);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  MPI_Sendrecv(out[2], kInts / 2, MPI_INT, next, 3, in[2], kInts, MPI_INT, previous, 3, comm, MPI_STATUS_IGNORE);
  MPI_Irecv(in[3], kInts, MPI_INT, MPI_ANY_SOURCE, 4, comm, &requests[0]);
  MPI_Send(out[3], 2, MPI_INT, next, 4, comm);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
  int rank, size, value = 1, sum = 0;
  MPI_Comm half;
  MPI_Request request;
  pthread_t thread;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
  MPI_Comm_set_name(half, "half \"of\" them,\n\\ = 1 \xc3\xa4");
  pthread_create(&thread, NULL, in_a_thread, NULL);
  pthread_join(thread, NULL);
  for (int step = 0; step < kSteps; ++step) {
    int half_rank, half_size;
    MERIDIAN_REGION("step: \"a, \\b\" \t<&> %s \xc3\xa4");
    exchange(MPI_COMM_WORLD, (rank + 1) % size, (rank + size - 1) % size, step);
    MPI_Comm_rank(half, &half_rank);
    MPI_Comm_size(half, &half_size);
    exchange(half, (half_rank + 1) % half_size, (half_rank + half_size - 1) % half_size, step);
    MPI_Bcast(&value, 1, MPI_INT, size - 1, MPI_COMM_WORLD);
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, half);
    MPI_Reduce(&value, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Ibarrier(half, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_SELF);
    MERIDIAN_MARKER("end of step");
    MERIDIAN_SEND("layer", (rank + 1) % size, step, 10);
    MERIDIAN_RECV("layer", (rank + size - 1) % size, step, 10);
  }
  MERIDIAN_REGION_BEGIN("open at the end");
  MPI_Comm_free(&half);
  MPI_Finalize();
  return 0;
}
