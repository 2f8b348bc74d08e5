// SPDX-License-Identifier: Apache-2.0
// clocking SUBJECT MILLISECONDS: exchanges messages and collectives in one way, for MILLISECONDS by the clock of rank 0.
//   all        MPI_Allreduce, and messages around a ring
//   copy       MPI_Allreduce only on a copy of MPI_COMM_WORLD
//   rooted     only collectives with a root
//   pending    MPI_Allreduce while a receive and a non-blocking collective are under way
//   threads    two threads, each with MPI_Allreduce on a copy of its own
//   errors     MPI_Allreduce, and calls that fail in between
//   parts      only collectives on parts of the world, and no messages between the parts
//   messages   messages around a ring, no collective
//   halo       MPI_Allreduce, and messages to both neighbours
//   random     MPI_Allreduce, and messages between random pairs
//   oneway     MPI_Allreduce, and messages from the lower rank to the next one
//   sparse     messages around a ring, five a second
//   killed     as all; then the last rank is killed
//   exiting    as all; then the last rank exits without MPI_Finalize
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int rank, size, wanted_ms;

static long now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000L + now.tv_nsec / 1000000;
}

static void require(int claim, const char* what) {
  if (claim) return;
  fprintf(stderr, "rank %d: not so: %s\n", rank, what);
  MPI_Abort(MPI_COMM_WORLD, 3);
}

static void pause_a_little(void) {
  const struct timespec pause = {0, 200000};
  nanosleep(&pause, NULL);
}

/// One step; false: time is over. Wrong sums end the program.
static int all(MPI_Comm comm, long begin_ms) {
  int said[2] = {0, rank}, sum[2];
  int me;
  MPI_Comm_rank(comm, &me);
  if (me == 0) said[0] = now_ms() - begin_ms < wanted_ms;
  MPI_Allreduce(said, sum, 2, MPI_INT, MPI_SUM, comm);
  if (comm == MPI_COMM_WORLD) require(sum[1] == size * (size - 1) / 2, "the sum of all ranks");
  pause_a_little();
  return sum[0] != 0;
}

static void ring(int tag) {
  int from = -1;
  MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, tag, &from, 1, MPI_INT, (rank + size - 1) % size, tag,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  require(from == (rank + size - 1) % size, "the number of the rank before");
}

static void halo(void) {
  int from = -1;
  ring(4);
  MPI_Sendrecv(&rank, 1, MPI_INT, (rank + size - 1) % size, 6, &from, 1, MPI_INT, (rank + 1) % size, 6, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  require(from == (rank + 1) % size, "the number of the rank behind");
}

/// All ranks draw the same distance.
static void random_pairs(void) {
  static unsigned state = 7;
  state = state * 1664525u + 1013904223u;
  const int distance = 1 + (int)((state >> 8) % (unsigned)(size > 1 ? size - 1 : 1));
  int from = -1;
  MPI_Sendrecv(&rank, 1, MPI_INT, (rank + distance) % size, 7, &from, 1, MPI_INT, (rank + size - distance) % size, 7,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  require(from == (rank + size - distance) % size, "the number of a random rank");
}

static void one_way(void) {
  int from = -1;
  if (rank + 1 < size) MPI_Send(&rank, 1, MPI_INT, rank + 1, 8, MPI_COMM_WORLD);
  if (rank > 0) {
    MPI_Recv(&from, 1, MPI_INT, rank - 1, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    require(from == rank - 1, "the number of the rank before");
  }
}

static void sparse(void) {
  for (int i = 0; i * 200 < wanted_ms; ++i) {
    const struct timespec pause = {0, 200000000};
    nanosleep(&pause, NULL);
    ring(9);
  }
}

static int rooted(long begin_ms) {
  int goes_on = now_ms() - begin_ms < wanted_ms, sum = 0;
  MPI_Reduce(&rank, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) require(sum == size * (size - 1) / 2, "the sum at the root");
  MPI_Bcast(&goes_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
  pause_a_little();
  return goes_on;
}

static void pending(long begin_ms) {
  int from = -1, goes_on = 1;
  while (goes_on) {
    MPI_Request requests[2];
    MPI_Status statuses[2];
    MPI_Irecv(&from, 1, MPI_INT, (rank + size - 1) % size, 5, MPI_COMM_WORLD, &requests[0]);
    MPI_Ibarrier(MPI_COMM_WORLD, &requests[1]);
    goes_on = all(MPI_COMM_WORLD, begin_ms);
    MPI_Send(&rank, 1, MPI_INT, (rank + 1) % size, 5, MPI_COMM_WORLD);
    MPI_Waitall(2, requests, statuses);
    require(from == (rank + size - 1) % size, "the number of the rank before");
  }
}

static void* run_thread(void* comm) {
  const long begin_ms = now_ms();
  while (all(*(MPI_Comm*)comm, begin_ms)) continue;
  return NULL;
}

static void threads(void) {
  MPI_Comm comms[2];
  pthread_t other;
  MPI_Comm_dup(MPI_COMM_WORLD, &comms[0]);
  MPI_Comm_dup(MPI_COMM_WORLD, &comms[1]);
  pthread_create(&other, NULL, run_thread, &comms[1]);
  run_thread(&comms[0]);
  pthread_join(other, NULL);
  MPI_Comm_free(&comms[0]);
  MPI_Comm_free(&comms[1]);
}

static void errors(long begin_ms) {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int value = 0;
  do require(MPI_Bcast(&value, 1, MPI_INT, size + 5, MPI_COMM_WORLD) != MPI_SUCCESS, "a root that is none is an error");
  while (all(MPI_COMM_WORLD, begin_ms));
}

static void parts(long begin_ms) {
  MPI_Comm mine;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &mine);
  while (all(mine, begin_ms)) continue;
  MPI_Comm_free(&mine);
}

int main(int argc, char** argv) {
  int provided;
  const char* const subject = argc > 1 ? argv[1] : "all";
  const int has_threads = strcmp(subject, "threads") == 0;
  MPI_Init_thread(&argc, &argv, has_threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  wanted_ms = argc > 2 ? atoi(argv[2]) : 500;
  const long begin_ms = now_ms();
  MPI_Comm copy;
  if (strcmp(subject, "copy") == 0) {
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    while (all(copy, begin_ms)) continue;
    MPI_Comm_free(&copy);
  } else if (strcmp(subject, "rooted") == 0) {
    while (rooted(begin_ms)) continue;
  } else if (strcmp(subject, "pending") == 0) {
    pending(begin_ms);
  } else if (has_threads) {
    if (provided == MPI_THREAD_MULTIPLE) threads();
  } else if (strcmp(subject, "errors") == 0) {
    errors(begin_ms);
  } else if (strcmp(subject, "parts") == 0) {
    parts(begin_ms);
  } else if (strcmp(subject, "messages") == 0) {
    for (int i = 0; i < wanted_ms; ++i) ring(i % 1000);
  } else if (strcmp(subject, "halo") == 0) {
    while (all(MPI_COMM_WORLD, begin_ms)) halo();
  } else if (strcmp(subject, "random") == 0) {
    while (all(MPI_COMM_WORLD, begin_ms)) random_pairs();
  } else if (strcmp(subject, "oneway") == 0) {
    while (all(MPI_COMM_WORLD, begin_ms)) one_way();
  } else if (strcmp(subject, "sparse") == 0) {
    sparse();
  } else {
    while (all(MPI_COMM_WORLD, begin_ms)) ring(3);
    if (rank == size - 1 && strcmp(subject, "killed") == 0) raise(SIGKILL);
    if (rank == size - 1 && strcmp(subject, "exiting") == 0) _exit(3);
  }
  if (rank == 0) printf("%s on %d ranks: done\n", subject, size);
  fflush(stdout);
  MPI_Finalize();
  return 0;
}
