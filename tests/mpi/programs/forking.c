// SPDX-License-Identifier: Apache-2.0
// A program that forks: the child makes an MPI call that the standard allows anywhere and leaves; another one becomes
// a different program. The parent continues.
#include <sys/wait.h>
#include <unistd.h>

#include "subject.h"

static int wait_for(pid_t child) {
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  MPI_Barrier(MPI_COMM_WORLD);
  pid_t child = fork();
  if (child == 0) {
    int flag = 0, version = 0;
    MPI_Initialized(&flag);
    MPI_Get_version(&version, &flag);
    _exit(version > 0 ? 21 : 1);
  }
  REQUIRE(wait_for(child) == 21);
  child = fork();
  if (child == 0) {
    execl("/bin/sh", "sh", "-c", "exit 22", (char*)NULL);
    _exit(1);
  }
  REQUIRE(wait_for(child) == 22);
  child = fork();
  if (child == 0) exit(23);  // with its destructors
  REQUIRE(wait_for(child) == 23);
  MPI_Barrier(MPI_COMM_WORLD);
  REQUIRE(waitpid(-1, NULL, WNOHANG) == -1);  // no child that the program did not make
  return end("forking");
}
