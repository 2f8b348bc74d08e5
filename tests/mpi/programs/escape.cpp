// SPDX-License-Identifier: Apache-2.0
// Error handlers that leave the call which failed: by an exception, by longjmp. What follows is recorded as ever,
// whether it is called from the same function, from further out, or from deeper down.
#include <mpi.h>

#include <csetjmp>
#include <cstdio>

namespace {

std::jmp_buf g_target;
volatile int g_depth = 0;

void throwing(MPI_Comm*, int* code, ...) { throw *code; }
void jumping(MPI_Comm*, int*, ...) { std::longjmp(g_target, 1); }

int fail() {
  const int value = 0;
  return MPI_Send(&value, 1, MPI_INT, 1000, 0, MPI_COMM_WORLD);
}

int fail_to_wait() {
  MPI_Request request = MPI_REQUEST_NULL;
  return MPI_Waitall(-1, &request, MPI_STATUSES_IGNORE);
}

/// A barrier from far down the stack.
[[gnu::noinline]] void meet(int depth) {
  volatile char room[512];
  for (volatile char& byte : room) byte = static_cast<char>(depth);
  if (depth > 0) {
    meet(depth - 1);
  } else {
    MPI_Barrier(MPI_COMM_WORLD);
  }
  g_depth = room[depth];
}

[[gnu::noinline]] bool throws(int (*failing)()) {
  try {
    failing();
  } catch (int) {
    MPI_Barrier(MPI_COMM_WORLD);
    return true;
  }
  return false;
}

[[gnu::noinline]] bool jumps(int (*failing)()) {
  if (setjmp(g_target) == 0) {
    failing();
    return false;
  }
  MPI_Barrier(MPI_COMM_WORLD);
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, escapes = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Errhandler handlers[2];
  MPI_Comm_create_errhandler(throwing, &handlers[0]);
  MPI_Comm_create_errhandler(jumping, &handlers[1]);
  for (int i = 0; i < 10; ++i) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handlers[0]);
    escapes += throws(fail) ? 1 : 0;
    escapes += throws(fail_to_wait) ? 1 : 0;
    try {
      fail();
    } catch (int) {
      ++escapes;
    }
    meet(3);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handlers[1]);
    escapes += jumps(fail) ? 1 : 0;
    escapes += jumps(fail_to_wait) ? 1 : 0;
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (rank == 0) std::printf("escape: %d escapes\n", escapes);
  std::fflush(stdout);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Finalize();
  return escapes == 50 ? 0 : 1;
}
