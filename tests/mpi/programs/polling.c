// SPDX-License-Identifier: Apache-2.0
// Polls that find nothing, of every call and in every pattern: one place, several that alternate, more than a phase has, with
// gaps, with many requests; and polls that find what they wait for.
#include <unistd.h>

#include "subject.h"

enum { kMany = 40, kNever = 99, kPolls = 100, kRounds = 2 };

static MPI_Request never[kMany];
static int in[kMany];
static int flag, found, indices[kMany];
static MPI_Message message;

static void test_one(void) { MPI_Test(&never[0], &flag, MPI_STATUS_IGNORE); }
static void test_other(void) { MPI_Test(&never[1], &flag, MPI_STATUS_IGNORE); }
static void test_any(void) { MPI_Testany(3, never, &found, &flag, MPI_STATUS_IGNORE); }
static void test_all(void) { MPI_Testall(3, never, &flag, MPI_STATUSES_IGNORE); }
static void test_some(void) {
  MPI_Testsome(3, never, &found, indices, MPI_STATUSES_IGNORE);
  flag = found;
}
static void test_any_of_many(void) { MPI_Testany(kMany, never, &found, &flag, MPI_STATUS_IGNORE); }
static void test_all_of_many(void) { MPI_Testall(kMany, never, &flag, MPI_STATUSES_IGNORE); }
static void look(void) { MPI_Request_get_status(never[0], &flag, MPI_STATUS_IGNORE); }
static void probe(void) { MPI_Iprobe(previous, kNever - 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE); }
static void probe_any(void) { MPI_Iprobe(MPI_ANY_SOURCE, kNever - 2, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE); }
static void match(void) { MPI_Improbe(previous, kNever - 1, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE); }

static void (*const kEach[])(void) = {test_one,         test_any, test_all, test_some, test_any_of_many,
                                      test_all_of_many, look,     probe,    probe_any, match};

/// Each finds what the rank before sends late.
static void wait_for_message(int how) {
  MPI_Request request = MPI_REQUEST_NULL, sent;
  int value = -1;
  MPI_Status status;
  if (how < 4) MPI_Irecv(&value, 1, MPI_INT, previous, how, MPI_COMM_WORLD, &request);
  usleep(rank % 2 == 0 ? 3000 : 0);
  MPI_Isend(&rank, 1, MPI_INT, next, how, MPI_COMM_WORLD, &sent);
  for (flag = 0; !flag;) {
    if (how == 0) MPI_Test(&request, &flag, &status);
    if (how == 1) MPI_Testany(1, &request, &found, &flag, &status);
    if (how == 2) MPI_Testall(1, &request, &flag, &status);
    if (how == 3) MPI_Testsome(1, &request, &flag, indices, &status);
    if (how == 4) MPI_Iprobe(previous, how, MPI_COMM_WORLD, &flag, &status);
    if (how == 5) MPI_Improbe(previous, how, MPI_COMM_WORLD, &flag, &message, &status);
  }
  REQUIRE(status.MPI_SOURCE == previous && status.MPI_TAG == how);
  if (how == 4) MPI_Recv(&value, 1, MPI_INT, previous, how, MPI_COMM_WORLD, &status);
  if (how == 5) MPI_Mrecv(&value, 1, MPI_INT, &message, &status);
  REQUIRE(value == previous);
  MPI_Wait(&sent, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  for (int i = 0; i < kMany; ++i) MPI_Irecv(&in[i], 1, MPI_INT, previous, kNever, MPI_COMM_WORLD, &never[i]);
  for (size_t each = 0; each < sizeof kEach / sizeof *kEach; ++each)
    for (int i = 0; i < kPolls; ++i) {
      kEach[each]();
      REQUIRE(!flag);
    }
  for (int i = 0; i < kPolls; ++i) {
    test_one();
    probe();
    test_other();
  }
  for (int i = 0; i < kPolls; ++i) kEach[i % 7]();
  for (int i = 0; i < 20; ++i) {
    test_one();
    usleep(1000);
  }
  for (int round = 0; round < kRounds; ++round)
    for (int how = 0; how < 6; ++how) wait_for_message(how);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < kMany; ++i) MPI_Send(&rank, 1, MPI_INT, next, kNever, MPI_COMM_WORLD);
  MPI_Waitall(kMany, never, MPI_STATUSES_IGNORE);
  return end("polling");
}
