// SPDX-License-Identifier: Apache-2.0
// Polls that are ended by SIGKILL, or made by several threads at once. polling_alone kill MICROSECONDS FILE | threads
// `kill`: the number of polls that have returned is kept in FILE, where it survives.
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "subject.h"

enum { kThreads = 3, kPolls = 3000 };

static void* end_later(void* microseconds) {
  usleep((useconds_t)atoi(microseconds));
  kill(getpid(), SIGKILL);
  return NULL;
}

static void poll_until_killed(char* microseconds, const char* path) {
  const int file = open(path, O_RDWR | O_CREAT, 0600);
  REQUIRE(file >= 0 && ftruncate(file, sizeof(uint64_t)) == 0);
  volatile uint64_t* const count = mmap(NULL, sizeof(uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  REQUIRE(count != MAP_FAILED);
  *count = 0;
  int value, flag = 0;
  MPI_Request request;
  MPI_Irecv(&value, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &request);
  pthread_t thread;
  REQUIRE(pthread_create(&thread, NULL, end_later, microseconds) == 0);
  while (!flag) {
    MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    ++*count;
  }
}

static void* poll_alone(void* number) {
  const int tag = (int)(intptr_t)number;
  int value, flag = 0;
  MPI_Request request;
  MPI_Irecv(&value, 1, MPI_INT, 0, tag, MPI_COMM_SELF, &request);
  for (int i = 0; i < kPolls; ++i) {
    MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    REQUIRE(!flag);
  }
  MPI_Send(&tag, 1, MPI_INT, 0, tag, MPI_COMM_SELF);
  while (!flag) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
  for (int i = 0; i < kPolls; ++i) MPI_Iprobe(0, tag, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
  return NULL;
}

int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  look_around();
  REQUIRE(argc > 1);
  if (strcmp(argv[1], "kill") == 0) poll_until_killed(argv[2], argv[3]);
  pthread_t threads[kThreads];
  for (intptr_t i = 0; i < kThreads; ++i) REQUIRE(pthread_create(&threads[i], NULL, poll_alone, (void*)(i + 1)) == 0);
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  return end("polling alone");
}
