// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "synthetic_trace.hpp"
#include "tests/support/seed.hpp"

namespace meridian::test {

/// A random program whose ranks have a team of OpenMP threads each: parallel regions, in which some threads compete for a mutex,
/// and messages and collectives of the main threads between them. All threads are at work in each region.
class RandomTeams {
 public:
  RandomTeams(SyntheticRun& run, std::size_t threads, std::uint64_t seed)
      : run_{run}, threads_{threads}, random_{test::seeded(seed)}, now_(run.ranks.size(), 1000), idle_(now_.size()) {}

  void play(std::size_t steps) {
    for (std::size_t rank = 0; rank < now_.size(); ++rank) region(rank);
    for (std::size_t i = 0; i < steps; ++i) {
      const std::size_t from = below(now_.size());
      const std::size_t to = (from + 1 + below(now_.size() - 1)) % now_.size();
      if (below(2) == 0)
        region(from);
      else if (below(3) == 0)
        barrier();
      else
        message(from, to);
    }
    barrier();
    const std::uint64_t end = *std::ranges::max_element(now_) + 10;
    for (std::size_t rank = 0; rank < now_.size(); ++rank)
      for (std::uint32_t t = 1; t < threads_; ++t) {
        SyntheticThread& worker = run_[rank].thread(t);
        openmp(worker, CallId::omp_implicit_barrier, {idle_[rank][t], idle_[rank][t]}, kFlagUnfinished);
        worker.end_ticks = end;
        worker.creator = 0;
      }
  }

 private:
  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  static std::int32_t number(std::size_t rank) { return static_cast<std::int32_t>(rank); }
  static void openmp(SyntheticThread& thread, CallId call, At at, std::uint8_t flags = 0) {
    thread.lock(call, at, LockKind::team, 0x7ffe1000, true, 0, flags);
  }

  void region(std::size_t rank) {
    const std::uint64_t begin = now_[rank] + below(400);
    std::vector<std::uint64_t> at(threads_, begin);  // by thread
    openmp(run_[rank].thread(0), CallId::omp_parallel, {begin, begin});
    for (std::uint32_t t = 1; t < threads_; ++t) {
      SyntheticThread& worker = run_[rank].thread(t);
      at[t] += 1 + below(20);
      if (idle_[rank].empty())
        worker.begin_ticks = begin;
      else
        openmp(worker, CallId::omp_implicit_barrier, {idle_[rank][t], at[t]});
      openmp(worker, CallId::omp_share, {at[t], at[t]});
    }
    for (std::uint64_t& ticks : at) ticks += 1 + below(400);
    if (threads_ > 1) lock(rank, at);
    const std::uint64_t last = *std::ranges::max_element(at);
    now_[rank] = last + 1 + below(5);
    openmp(run_[rank].thread(0), CallId::omp_implicit_barrier, {at[0], now_[rank]});
    idle_[rank] = at;
  }

  /// A thread takes the mutex when it is free, another one while the first one has it.
  void lock(std::size_t rank, std::vector<std::uint64_t>& at) {
    const auto first = static_cast<std::uint32_t>(below(threads_));
    const auto second = static_cast<std::uint32_t>((first + 1 + below(threads_ - 1)) % threads_);
    const std::uint64_t taken = std::max(at[first], at[second] < 5 ? 0 : at[second] - 5);
    const std::uint64_t wants = std::max(at[second], taken + 1 + below(100));
    const std::uint64_t released = wants + 1 + below(200), has = released + 1 + below(10), end = has + 1 + below(100);
    const auto mutex = [&](std::uint32_t thread, CallId call, At time, bool is_contended) {
      run_[rank].thread(thread).lock(call, time, LockKind::mutex, 0x601040, is_contended,
                                     is_contended ? 10 + number(first) : 0);
    };
    mutex(first, CallId::pthread_mutex_lock, {taken, taken + 1}, false);
    mutex(second, CallId::pthread_mutex_lock, {wants, has}, true);
    mutex(first, CallId::pthread_mutex_unlock, {released, released + 1}, false);
    mutex(second, CallId::pthread_mutex_unlock, {end, end + 1}, false);
    at[first] = released + 1 + below(100);
    at[second] = end + 1 + below(100);
  }

  void message(std::size_t from, std::size_t to) {
    const std::uint64_t send = now_[from] + below(400), receive = now_[to] + below(400);
    now_[from] = std::max(send, receive) + 1 + below(500);
    now_[to] = std::max(send, receive) + 1 + below(500);
    run_[from]->send({send, now_[from]}, number(to), 7, 8, kWorld, CallId::Ssend);
    run_[to]->receive({receive, now_[to]}, number(from), 7, 8);
  }
  void barrier() {
    std::vector<std::uint64_t> enters;
    enters.reserve(now_.size());
    for (const std::uint64_t now : now_) enters.push_back(now + below(400));
    const std::uint64_t last = *std::ranges::max_element(enters);
    for (std::size_t rank = 0; rank < now_.size(); ++rank) {
      now_[rank] = last + 1 + below(50);
      run_[rank]->collective(CallId::Barrier, {enters[rank], now_[rank]});
    }
  }

  SyntheticRun& run_;
  std::size_t threads_;
  std::mt19937_64 random_;
  std::vector<std::uint64_t> now_;                // [rank]: leave of its main thread's last call
  std::vector<std::vector<std::uint64_t>> idle_;  // [rank, thread]: end of its last share; empty: there was none
};

}  // namespace meridian::test
