// SPDX-License-Identifier: Apache-2.0
// Compiled with -finstrument-functions: each function is a region as often as check_functions.py says. In C++, with a static function,
// a template, a recursion, an exception, a jump, threads, a short function that is called often, and one before MPI_Init.
#include <mpi.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>

#include <stdexcept>

static volatile double g_sum;
static jmp_buf g_back;

static void work(int rounds) {
  for (int i = 0; i < rounds; ++i) g_sum = g_sum + i;
}

namespace app {
template <class T>
__attribute__((noinline)) T assemble(T rounds) {
  work(static_cast<int>(rounds));
  return rounds;
}
struct Solver {
  __attribute__((noinline)) void solve(int depth) {
    work(20000);
    if (depth > 0) solve(depth - 1);
  }
};
}  // namespace app

__attribute__((noinline)) static int tiny(int i) { return i + 1; }

/// The 10 000th call that ends is an inner one: the two around it began before the function was found to be short, and end afterwards.
__attribute__((noinline)) static int nested(int n) { return n == 0 ? 0 : nested(n - 1) + 1; }

__attribute__((noinline)) static void fails() { throw std::runtime_error("expected"); }

__attribute__((noinline)) static void jumps() { longjmp(g_back, 1); }

extern "C" void* in_a_thread(void* argument) {
  work(50000);
  return argument;
}

__attribute__((noinline)) static void deep(int depth) {
  if (depth > 0) deep(depth - 1);
  g_sum = g_sum + 1;
}

int main(int argc, char** argv) {
  work(10);  // before MPI_Init
  MPI_Init(&argc, &argv);
  int rank;
  static int value = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 4; ++i) {
    app::assemble(100000);
    app::assemble(50000.0);
    app::Solver().solve(2);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  for (int i = 0; i < 3; ++i) try {
      fails();
    } catch (const std::runtime_error&) {
      ++value;
    }
  if (setjmp(g_back) == 0) jumps();
  pthread_t threads[2];
  for (pthread_t& thread : threads) pthread_create(&thread, nullptr, in_a_thread, nullptr);
  for (pthread_t& thread : threads) pthread_join(thread, nullptr);
  for (int i = 0; i < 200000; ++i) value = tiny(value);
  for (int i = 0; i < 50000; ++i) value += nested(2) - 2;
  if (argc > 1) deep(400);
  printf("%d %d\n", rank, value);
  MPI_Finalize();
  return 0;
}
