// SPDX-License-Identifier: Apache-2.0
// spawning HOW MILLISECONDS CLOCKS: starts two processes with clocks that are bent by CLOCKS (MERIDIAN_TEST_CLOCK). Then,
// for MILLISECONDS by the clock of rank 0 (across: that many times):
//   talk     messages both ways between the first processes of both sides
//   oneway   messages from the first process to the first child
//   merged   MPI_Allreduce of all processes of both sides
//   across   MPI_Allreduce on the intercommunicator, no messages
//   apart    nothing
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { kChildren = 2 };
static int rank, is_child, wanted_ms;
static MPI_Comm others;

static long now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000L + now.tv_nsec / 1000000;
}

static void pause_a_little(void) {
  const struct timespec pause = {0, 200000};
  nanosleep(&pause, NULL);
}

static void talk(int has_answers) {
  const long begin_ms = now_ms();
  for (int goes_on = rank == 0; goes_on; pause_a_little()) {
    if (!is_child) goes_on = now_ms() - begin_ms < wanted_ms;
    if (is_child) MPI_Recv(&goes_on, 1, MPI_INT, 0, 1, others, MPI_STATUS_IGNORE);
    if (!is_child) MPI_Send(&goes_on, 1, MPI_INT, 0, 1, others);
    if (is_child && has_answers) MPI_Send(&goes_on, 1, MPI_INT, 0, 2, others);
    if (!is_child && has_answers) MPI_Recv(&goes_on, 1, MPI_INT, 0, 2, others, MPI_STATUS_IGNORE);
  }
}

static void merged(void) {
  const long begin_ms = now_ms();
  MPI_Comm all;
  MPI_Intercomm_merge(others, is_child, &all);
  for (int goes_on = 1, wants; goes_on; pause_a_little()) {
    wants = !is_child && rank == 0 && now_ms() - begin_ms < wanted_ms;
    MPI_Allreduce(&wants, &goes_on, 1, MPI_INT, MPI_SUM, all);
  }
  MPI_Comm_free(&all);
}

/// Either side gets the sum of the other.
static void across(void) {
  for (int round = 0, sum; round < wanted_ms; ++round, pause_a_little())
    MPI_Allreduce(&round, &sum, 1, MPI_INT, MPI_SUM, others);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_get_parent(&others);
  is_child = others != MPI_COMM_NULL;
  if (argc < 4) MPI_Abort(MPI_COMM_WORLD, 2);
  wanted_ms = atoi(argv[2]);
  if (!is_child) {
    MPI_Info info;
    char clocks[200];
    snprintf(clocks, sizeof clocks, "MERIDIAN_TEST_CLOCK=%s", argv[3]);
    MPI_Info_create(&info);
    MPI_Info_set(info, "env", clocks);
    MPI_Comm_spawn(argv[0], argv + 1, kChildren, info, 0, MPI_COMM_WORLD, &others, MPI_ERRCODES_IGNORE);
    MPI_Info_free(&info);
  }
  if (strcmp(argv[1], "talk") == 0) talk(1);
  if (strcmp(argv[1], "oneway") == 0) talk(0);
  if (strcmp(argv[1], "merged") == 0) merged();
  if (strcmp(argv[1], "across") == 0) across();
  if (is_child && rank == 0) {
    printf("done\n");
    fflush(stdout);
  }
  MPI_Comm_disconnect(&others);
  MPI_Finalize();
  return 0;
}
