// SPDX-License-Identifier: Apache-2.0
// C++ threads and locks, which come down to POSIX's.

#include <chrono>
#include <condition_variable>
#include <future>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>

#include "tally.h"

namespace {

constexpr int kThreads = 4;
constexpr int kRounds = 300;

}  // namespace

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  std::mutex mutex;
  std::recursive_mutex recursive;
  std::timed_mutex timed;
  std::shared_mutex shared;
  std::condition_variable condition;
  std::once_flag once;
  long guarded = 0, runs = 0, turn = 0;
  {
    std::vector<std::thread> threads;
    threads.reserve(kThreads);
    for (int me = 0; me < kThreads; ++me)
      threads.emplace_back([&, me] {
        std::call_once(once, [&] { ++runs; });
        for (int i = 0; i < kRounds; ++i) {
          const std::lock_guard lock{mutex};
          ++guarded;
        }
        for (int i = 0; i < 10; ++i) {
          const std::scoped_lock twice{recursive};
          const std::lock_guard again{recursive};
          const std::shared_lock reader{shared};
        }
        std::this_thread::sleep_for(std::chrono::milliseconds{1});
        std::unique_lock lock{mutex};
        condition.wait(lock, [&] { return turn == me; });
        ++turn;
        condition.notify_all();
      });
    for (std::thread& thread : threads) thread.join();
  }
  tally("acquired", "mutex", kThreads * (kRounds + 1 + 2 * 10));
  tally("acquired", "read", kThreads * 10);
  tally("calls", "pthread_create", kThreads);
  tally("calls", "pthread_join", kThreads);
  result("guarded", guarded);
  result("runs", runs);
  result("turn", turn);
  {
    const std::unique_lock writer{shared};
    result("reader beside a writer", std::async(std::launch::async, [&] { return shared.try_lock_shared(); }).get());
    const std::unique_lock lock{timed};
    result("timed",
           std::async(std::launch::async, [&] { return timed.try_lock_for(std::chrono::milliseconds{3}); }).get());
  }
  tally("acquired", "write", 1);
  tally("acquired", "mutex", 1);
  tally("calls", "pthread_create", 2);
  tally("calls", "pthread_join", 2);
  print_tally();
  MPI_Finalize();
  end_with(4);
}
