// SPDX-License-Identifier: Apache-2.0
#pragma once

// Random programs whose threads wait for each other.

#include <algorithm>
#include <cstdint>
#include <deque>
#include <random>
#include <vector>

#include "synthetic_trace.hpp"
#include "tests/support/seed.hpp"

namespace meridian::test {

/// Threads of one rank that share two mutexes, first come first served. records_all: free locks and releases, too.
inline void play_threads(SyntheticRank& rank, std::size_t threads, bool records_all, std::uint64_t seed) {
  struct Hold {
    std::uint64_t from = 0, to = 0;
    std::size_t thread = 0;
  };
  std::mt19937_64 random{test::seeded(seed)};
  std::vector<std::uint64_t> now(threads, 10);
  std::deque<Hold> holds[2];
  const auto at = [&](std::size_t t) -> SyntheticThread& { return rank.thread(static_cast<std::uint32_t>(t)); };
  for (std::size_t step = 0; step < 150; ++step) {
    const auto t = static_cast<std::size_t>(std::ranges::min_element(now) - now.begin());
    const std::size_t which = random() % 2;
    const std::uint64_t mutex = 0x1000 + which, object = 0x2000 + step, held = 20 + random() % 200;
    switch (random() % 8) {
      case 0:
        at(t).call(CallId::Comm_rank, {now[t], now[t] + 2});
        now[t] += 2;
        break;
      case 1: {  // another thread posts, later
        const std::size_t other = (t + 1 + random() % (threads - 1)) % threads;
        const std::uint64_t posts = std::max(now[other], now[t]) + 1 + random() % 50;
        const bool is_condition = random() % 2 == 0;
        const LockKind kind = is_condition ? LockKind::condition : LockKind::semaphore;
        at(t).lock(is_condition ? CallId::pthread_cond_wait : CallId::sem_wait, {now[t], posts + 4}, kind, object, true,
                   0, 0, is_condition ? 0x3000 : 0);
        at(other).lock(is_condition ? CallId::pthread_cond_signal : CallId::sem_post, {posts, posts + 1}, kind, object,
                       true);
        now[t] = posts + 4;
        now[other] = posts + 1;
        break;
      }
      case 2: {  // a barrier of all
        for (std::size_t i = 0; i < threads; ++i) now[i] += random() % 100;
        const std::uint64_t last = *std::ranges::max_element(now);
        for (std::size_t i = 0; i < threads; ++i) {
          at(i).lock(CallId::pthread_barrier_wait, {now[i], last + 3 + i}, LockKind::barrier, 0x4000, false);
          now[i] = last + 3 + i;
        }
        break;
      }
      default: {
        std::deque<Hold>& of_mutex = holds[which];
        while (!of_mutex.empty() && of_mutex.front().to <= now[t]) of_mutex.pop_front();
        const bool is_free = of_mutex.empty();
        const std::uint64_t taken = is_free ? now[t] + 1 : of_mutex.back().to + 1;
        if (!is_free || records_all)
          at(t).lock(CallId::pthread_mutex_lock, {now[t], taken}, LockKind::mutex, mutex, !is_free,
                     is_free ? 0 : 10 + static_cast<std::int32_t>(of_mutex.front().thread));
        of_mutex.push_back({taken, taken + held, t});
        now[t] = taken + held;
        if (records_all) {
          at(t).lock(CallId::pthread_mutex_unlock, {now[t], now[t] + 1}, LockKind::mutex, mutex, false);
          ++now[t];
        }
      }
    }
    now[t] += 1 + random() % 60;
  }
}

}  // namespace meridian::test
