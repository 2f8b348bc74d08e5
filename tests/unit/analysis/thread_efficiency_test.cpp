// SPDX-License-Identifier: Apache-2.0
// Efficiencies of ranks with several threads. Times are ns.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "analysed.hpp"
#include "synthetic_trace.hpp"

namespace meridian::test {
namespace {

EfficiencySummary of_run(SyntheticRun& run) {
  const Summary summary = analysed(run);
  return summary.efficiencies.empty() ? EfficiencySummary{} : summary.efficiencies.front();
}

std::int64_t length_without(const Summary& summary, const std::string& name) {
  const auto row = std::ranges::find(summary.what_if, name, &WhatIfSummary::name);
  return row == summary.what_if.end() ? -1 : ns(row->time_s);
}

void openmp(SyntheticThread& thread, CallId call, At at, std::uint8_t flags = 0) {
  thread.lock(call, at, LockKind::team, 0x7ffe1000, true, 0, flags);
}

/// Two ranks in lockstep: their threads compute for 1000 in a region, then the main threads exchange data for 9000.
constexpr std::uint64_t kStep = 10'000, kSteps = 20;
void exchange_after_regions(SyntheticRun& run, std::uint32_t threads) {
  for (std::int32_t r = 0; r < 2; ++r) {
    SyntheticRank& rank = run[static_cast<std::size_t>(r)];
    rank->call(CallId::Init, {0, 100});
    for (std::uint64_t step = 0; step < kSteps; ++step) {
      const std::uint64_t begin = 100 + step * kStep;
      if (threads > 1) openmp(*rank.operator->(), CallId::omp_parallel, {begin, begin});
      for (std::uint32_t t = 1; t < threads; ++t) {
        SyntheticThread& worker = rank.thread(t);
        const std::uint64_t end = begin + 1000 - 10 * t;
        openmp(worker, CallId::omp_share, {begin + t, begin + t});
        const bool is_last = step + 1 == kSteps;
        openmp(worker, CallId::omp_implicit_barrier, {end, is_last ? end : begin + kStep + t},
               is_last ? std::uint8_t{kFlagUnfinished} : std::uint8_t{0});
        worker.end_ticks = kSteps * kStep + 300;
      }
      if (threads > 1) openmp(*rank.operator->(), CallId::omp_implicit_barrier, {begin + 1000, begin + 1002});
      rank->sendrecv({begin + 1002, begin + kStep}, 1 - r, 7, 1 << 24, 1 - r, 7, {1 - r, 7, 1 << 24});
    }
    rank->call(CallId::Finalize, {100 + kSteps * kStep, 400 + kSteps * kStep});
  }
}

TEST(ThreadEfficiency, TheFactorsOfMpiAreThoseOfTheProgramWithOneThread) {
  for (const std::uint32_t threads : {1U, 2U, 4U}) {
    SCOPED_TRACE(threads);
    SyntheticRun run{2};
    exchange_after_regions(run, threads);
    const EfficiencySummary row = of_run(run);
    EXPECT_EQ(row.threads, 2 * threads);
    EXPECT_NEAR(row.transfer, 0.1, 0.001);
    EXPECT_NEAR(row.serialisation, 1, 0.001);
    EXPECT_NEAR(row.load_balance, 1, 0.001);
    EXPECT_NEAR(row.mpi_factor, 0.1, 0.001);
    EXPECT_NEAR(row.thread_factor, 1, 0.1);
  }
}

TEST(ThreadEfficiency, AThreadThatSleepsUntilTheEndDoesNotMakeTheRunLonger) {
  SyntheticRun run{2};
  exchange_after_regions(run, 1);
  for (std::uint64_t at = 500; at + 400 < kSteps * kStep; at += 400)
    run[0].thread(1).call(CallId::nanosleep, {at, at + 399});
  EXPECT_NEAR(of_run(run).transfer, 0.1, 0.001);
}

/// What ends the wait of the main thread, from 300 to 500, is done by the other thread at 480, 100 of them in MPI.
std::int64_t ideal_length(const std::function<void(SyntheticThread& main, SyntheticThread& other)>& wait) {
  SyntheticRun run{1};
  SyntheticThread &main = run[0].thread(0), &other = run[0].thread(1);
  main.call(CallId::Init, {0, 100});
  other.call(CallId::Comm_rank, {101, 102});
  wait(main, other);
  main.call(CallId::Finalize, {600, 700});
  other.end_ticks = std::max<std::uint64_t>(other.end_ticks, 490);
  return length_without(analysed(run), "MPI and data under way");
}

TEST(ThreadEfficiency, AWaitBetweenThreadsEndsWithWhatItWaitsFor) {
  const auto in_mpi = [](SyntheticThread& other) { other.call(CallId::Barrier, {350, 450}); };
  EXPECT_EQ(ideal_length([&](SyntheticThread& main, SyntheticThread& other) {  // the release of a lock
              other.lock(CallId::pthread_mutex_lock, {200, 201}, LockKind::mutex, 8, false);
              main.lock(CallId::pthread_mutex_lock, {300, 500}, LockKind::mutex, 8, true, 11);
              in_mpi(other);
              other.lock(CallId::pthread_mutex_unlock, {498, 499}, LockKind::mutex, 8, false);
            }),
            500 - 101);
  EXPECT_EQ(ideal_length([&](SyntheticThread& main, SyntheticThread& other) {  // a signal
              main.lock(CallId::pthread_cond_wait, {300, 500}, LockKind::condition, 8, true, 0, 0, 16);
              in_mpi(other);
              other.lock(CallId::pthread_cond_signal, {480, 481}, LockKind::condition, 8, true);
            }),
            500 - 101);
  EXPECT_EQ(ideal_length([&](SyntheticThread& main, SyntheticThread& other) {  // the last one at a barrier
              main.lock(CallId::pthread_barrier_wait, {300, 500}, LockKind::barrier, 8, false);
              in_mpi(other);
              other.lock(CallId::pthread_barrier_wait, {480, 500}, LockKind::barrier, 8, false);
            }),
            500 - 101);
  EXPECT_EQ(ideal_length([&](SyntheticThread& main, SyntheticThread& other) {  // the end of the thread
              in_mpi(other);
              other.end_ticks = 480;
              main.thread_op(CallId::pthread_join, {300, 500}, 1);
            }),
            500 - 101);
}

TEST(ThreadEfficiency, CallsInCallbacksAreNoThreadWithNothingToDo) {
  SyntheticRun run{2};
  exchange_after_regions(run, 1);
  const EfficiencySummary without = of_run(run);
  SyntheticRun with{2};
  exchange_after_regions(with, 1);
  for (SyntheticRank& rank : with.ranks) {
    rank.thread(1).is_inside = true;
    for (std::uint64_t step = 0; step < kSteps; ++step)
      rank.thread(1).call(CallId::Type_size, {5000 + step * kStep, 5001 + step * kStep});
  }
  const EfficiencySummary row = of_run(with);
  EXPECT_EQ(row.threads, 2U);
  EXPECT_DOUBLE_EQ(row.thread_factor, 1);
  EXPECT_DOUBLE_EQ(row.parallel, without.parallel);
  EXPECT_DOUBLE_EQ(row.transfer, without.transfer);
}

}  // namespace
}  // namespace meridian::test
