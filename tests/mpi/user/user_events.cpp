// SPDX-License-Identifier: Apache-2.0
// The same in C++: scopes, exceptions, inline functions and templates.
#include <meridian/user.h>
#include <mpi.h>

#include <cstdio>
#include <stdexcept>
#include <thread>
#include <vector>

namespace {

template <class T>
T twice(T value) {
  MERIDIAN_REGION("twice");
  MERIDIAN_EVENT(math, TWICE, f64(value));
  return value + value;
}

struct Worker {
  int run(int depth) {
    MERIDIAN_REGION("run");
    if (depth == 0) throw std::runtime_error{"deep enough"};
    return run(depth - 1);
  }
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  double sum = 0;
  for (int i = 0; i < 10; ++i) sum += twice(i) + twice(i / 2.0);
  for (int i = 0; i < 3; ++i) {
    try {
      Worker{}.run(4);
    } catch (const std::runtime_error&) {
      MERIDIAN_MARKER("caught");
    }
  }
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([] {
      for (int k = 0; k < 50; ++k) MERIDIAN_COUNTER("progress", k);
    });
  for (std::thread& thread : threads) thread.join();
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  if (rank == 0) std::printf("user_events: %g\n", sum);
}
