// SPDX-License-Identifier: Apache-2.0
// Makes MPI calls until it is killed, ends itself, or is asked to end. The number of calls that have returned is in memory
// that outlives it.
//
//   victim SHARED_DIR run PAUSE_US   until the file SHARED_DIR/stop exists, with a pause in each round
//   victim SHARED_DIR rich PAUSE_US  the same with many messages to itself, which no other rank has to be scheduled for
//   victim SHARED_DIR HOW ROUNDS     the last rank ends by segv, abort, mpi_abort or sigterm, or every rank by exit, _exit or
//                                    throw; finish: regularly, with exit code 4
#include <mpi.h>
#include <pthread.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>

#include "shared.hpp"

namespace {

struct Shared {
  volatile std::int64_t pid;
  volatile std::int64_t returned[2];  // calls of the main and of the other thread that have returned
  volatile std::int64_t finalizing;
};
Shared* g_shared;

void returned() { g_shared->returned[0] = g_shared->returned[0] + 1; }
#define CALL(call) (static_cast<void>(call), returned())

volatile bool g_is_over = false;

void* other_thread(void*) {
  int rank;
  while (!g_is_over) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    g_shared->returned[1] = g_shared->returned[1] + 1;
    usleep(50);  // it must not starve the other ranks' main threads
  }
  return nullptr;
}

void round_of_calls(int round, int rank, int size) {
  const int next = (rank + 1) % size;
  const int previous = (rank + size - 1) % size;
  double out[8] = {};
  double in[8] = {};
  int flag;
  MPI_Request requests[2];
  CALL(MPI_Irecv(in, 8, MPI_DOUBLE, previous, 1, MPI_COMM_WORLD, &requests[0]));
  CALL(MPI_Isend(out, 8, MPI_DOUBLE, next, 1, MPI_COMM_WORLD, &requests[1]));
  CALL(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
  CALL(MPI_Iprobe(MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
  CALL(MPI_Sendrecv(out, 1, MPI_DOUBLE, next, 2, in, 1, MPI_DOUBLE, previous, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  if (round % 16 == 0) CALL(MPI_Allreduce(out, in, 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
  if (round % 64 == 0) CALL(MPI_Barrier(MPI_COMM_WORLD));
}

void messages_to_itself() {
  for (int i = 0; i < 64; ++i) {
    int in;
    MPI_Request requests[2];
    CALL(MPI_Irecv(&in, 1, MPI_INT, 0, i, MPI_COMM_SELF, &requests[0]));
    CALL(MPI_Isend(&i, 1, MPI_INT, 0, i, MPI_COMM_SELF, &requests[1]));
    CALL(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
  }
}

void end_by(const std::string& how) {
  if (how == "segv") *reinterpret_cast<volatile int*>(static_cast<std::uintptr_t>(getpid() % 7 + 8)) = 1;
  if (how == "abort") std::abort();
  if (how == "exit") std::exit(0);
  if (how == "_exit") _exit(0);
  if (how == "mpi_abort") MPI_Abort(MPI_COMM_WORLD, 5);
  if (how == "throw") throw std::runtime_error{"nobody catches this"};
  if (how == "sigterm") raise(SIGTERM);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 3;
  const std::string directory = argv[1];
  const std::string how = argv[2];
  const int at = std::atoi(argv[3]);
  g_shared = share<Shared>(directory + "/rank-" + launched_rank());
  g_shared->pid = getpid();
  int provided;
  int rank;
  int size;
  CALL(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided));
  CALL(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  CALL(MPI_Comm_size(MPI_COMM_WORLD, &size));
  pthread_t thread;
  const bool has_thread =
      provided == MPI_THREAD_MULTIPLE && pthread_create(&thread, nullptr, &other_thread, nullptr) == 0;
  const std::string stop = directory + "/stop";
  const bool is_everybody = how == "exit" || how == "_exit" || how == "throw";
  int go_on = 1;
  for (int round = 1; go_on != 0; ++round) {
    round_of_calls(round, rank, size);
    if (how == "run" || how == "rich") {
      if (how == "rich") messages_to_itself();
      const bool is_long = round > 100'000;  // nobody has killed it yet; the trace must not grow for minutes
      if (at > 0 || is_long) usleep(static_cast<useconds_t>(is_long ? 1000 : at));
      if (round % 64 != 0) continue;
      go_on = access(stop.c_str(), F_OK) != 0 ? 1 : 0;
      CALL(MPI_Bcast(&go_on, 1, MPI_INT, 0, MPI_COMM_WORLD));
    } else if (how == "finish") {
      go_on = round < at ? 1 : 0;
    } else if (round == at && (is_everybody || rank == size - 1)) {
      end_by(how);
    }
  }
  g_is_over = true;
  if (has_thread) pthread_join(thread, nullptr);
  g_shared->finalizing = 1;
  if (how == "finish") {  // before MPI_Finalize: the first one that ends with a code lets launchers kill the others
    std::printf("rank %d of %d: %d rounds\n", rank, size, at);
    std::fflush(stdout);
  }
  CALL(MPI_Finalize());
  return how == "finish" ? 4 : 0;
}
