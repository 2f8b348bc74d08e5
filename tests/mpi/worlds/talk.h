// SPDX-License-Identifier: Apache-2.0
#pragma once

// Identity, output and actions of a process; see worlds.c.

#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { kMostBytes = 4096 };
static char world_name[64];
static int rank, size;
static char buffer[2 * kMostBytes];

// One write() for a line: lines of several processes do not mix.
static void say(const char* format, ...) {
  char line[512];
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(line, sizeof line - 1, format, arguments);
  va_end(arguments);
  line[length++] = '\n';
  if (write(STDOUT_FILENO, line, (size_t)length) != length) abort();
}

static void i_am(const char* name) {
  snprintf(world_name, sizeof world_name, "%s", name);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  say("process %s%d %d", world_name, rank, (int)getpid());
}

static void collective(const char* key) { say("coll %s %s%d", key, world_name, rank); }

// Every process of this side sends to every process of the other, whose world is called `others`, and receives from
// them.
static void talk(MPI_Comm inter, const char* others, int first_tag) {
  int there;
  MPI_Comm_remote_size(inter, &there);
  MPI_Request requests[64];
  for (int i = 0; i < there; ++i) {
    const int bytes = 100 * first_tag + 10 * rank + i;
    MPI_Isend(buffer, bytes, MPI_CHAR, i, first_tag + i, inter, &requests[i]);
    say("send %s%d %s%d %d %d", world_name, rank, others, i, first_tag + i, bytes);
  }
  for (int i = 0; i < there; ++i) {
    MPI_Status status;
    int bytes;
    // One of the three exchanges of a program receives from MPI_ANY_SOURCE.
    MPI_Recv(buffer + kMostBytes, kMostBytes, MPI_CHAR, first_tag == 5 ? MPI_ANY_SOURCE : i, first_tag + rank, inter,
             &status);
    MPI_Get_count(&status, MPI_CHAR, &bytes);
    say("recv %s%d %s%d %d %d", others, status.MPI_SOURCE, world_name, rank, status.MPI_TAG, bytes);
  }
  MPI_Waitall(there, requests, MPI_STATUSES_IGNORE);
}

static void collect(MPI_Comm inter, int is_first, const char* key) {
  char name[100];
  MPI_Barrier(inter);
  snprintf(name, sizeof name, "%s.barrier", key);
  collective(name);
  MPI_Bcast(buffer, 50, MPI_CHAR, !is_first ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL, inter);
  snprintf(name, sizeof name, "%s.bcast", key);
  collective(name);
  int sum = 0;
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, inter);
  snprintf(name, sizeof name, "%s.allreduce", key);
  collective(name);
}

// The name of each process, by its rank in `comm`.
static void names_in(MPI_Comm comm, char names[][32]) {
  char own[32];
  snprintf(own, sizeof own, "%.20s%d", world_name, rank);
  MPI_Allgather(own, 32, MPI_CHAR, names, 32, MPI_CHAR, comm);
}

static void around(MPI_Comm comm, const char* key, int tag) {
  char names[64][32], name[100];
  int me, all;
  MPI_Comm_rank(comm, &me);
  MPI_Comm_size(comm, &all);
  names_in(comm, names);
  // The key of a split communicator contains its members.
  snprintf(name, sizeof name, "%s(%s).allgather", key, names[0]);
  collective(name);
  const int right = (me + 1) % all, left = (me + all - 1) % all;
  MPI_Sendrecv(buffer, 30 + me, MPI_CHAR, right, tag, buffer + kMostBytes, kMostBytes, MPI_CHAR, left, tag, comm,
               MPI_STATUS_IGNORE);
  say("send %s %s %d %d", names[me], names[right], tag, 30 + me);
  say("recv %s %s %d %d", names[left], names[me], tag, 30 + left);
  MPI_Barrier(comm);
  snprintf(name, sizeof name, "%s(%s).barrier", key, names[0]);
  collective(name);
}

// All that two worlds can do with each other, and then the end of their acquaintance.
static void meet(MPI_Comm* inter, int is_first, const char* others, const char* key) {
  char name[100];
  talk(*inter, others, 3);
  collect(*inter, is_first, key);

  MPI_Comm twin;
  MPI_Comm_dup(*inter, &twin);
  talk(twin, others, 5);
  snprintf(name, sizeof name, "%s.twin", key);
  collect(twin, !is_first, name);
  MPI_Comm_free(&twin);

  MPI_Comm merged, copy, half, sub, again;
  MPI_Intercomm_merge(*inter, !is_first, &merged);
  snprintf(name, sizeof name, "%s.merged", key);
  around(merged, name, 11);
  MPI_Comm_dup(merged, &copy);
  snprintf(name, sizeof name, "%s.copy", key);
  around(copy, name, 12);
  int me, all;
  MPI_Comm_rank(merged, &me);
  MPI_Comm_size(merged, &all);
  MPI_Comm_split(merged, me % 2, -me, &half);
  snprintf(name, sizeof name, "%s.half", key);
  around(half, name, 13);
  // The same ranks in both worlds: only the ranks of the parents distinguish the groups.
  MPI_Comm_split(copy, is_first, me, &sub);
  snprintf(name, sizeof name, "%s.own", key);
  around(sub, name, 14);
  // Again between the two, with leaders that know each other from `merged`.
  int first_of_others = is_first ? all - 1 : 0, leader = is_first ? 0 : size - 1;
  MPI_Intercomm_create(MPI_COMM_WORLD, leader, merged, first_of_others, 99, &again);
  talk(again, others, 7);
  snprintf(name, sizeof name, "%s.again", key);
  collect(again, is_first, name);
  MPI_Comm_free(&again);
  MPI_Comm_free(&sub);
  MPI_Comm_free(&half);
  MPI_Comm_free(&copy);
  MPI_Comm_free(&merged);
  MPI_Barrier(MPI_COMM_WORLD);
  snprintf(name, sizeof name, "%s.%s.world", key, world_name);
  collective(name);
  MPI_Comm_disconnect(inter);
}
