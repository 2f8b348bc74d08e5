// SPDX-License-Identifier: Apache-2.0
// Waits of threads for other threads of their rank, in small traces with known waits. Times are ns.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "analysed.hpp"
#include "synthetic_trace.hpp"

namespace meridian::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::uint64_t kMutex = 0x601040, kOther = 0x601080;
constexpr std::int32_t kTid = 10;  // of thread 0; thread i has kTid + i
constexpr bool kContended = true, kFree = false;

void mutex(SyntheticThread& thread, At at, bool is_contended, std::int32_t holder_tid = 0, std::uint8_t flags = 0) {
  thread.lock(CallId::pthread_mutex_lock, at, LockKind::mutex, kMutex, is_contended, holder_tid, flags);
}
void unlock(SyntheticThread& thread, std::uint64_t at) {
  thread.lock(CallId::pthread_mutex_unlock, {at, at + 1}, LockKind::mutex, kMutex, kFree);
}

/// "wait for lock: thread 1 waits 30 for thread 0's pthread_mutex_lock", in order of the calls and of time.
std::vector<std::string> thread_waits_of(SyntheticRun& run) {
  analysed(run);
  const auto trace = MergedTrace::open(run.merged());
  EXPECT_TRUE(trace) << trace.error().what;
  std::vector<EventWait> waits;
  EXPECT_TRUE(trace->waits(0, trace->events(), waits));
  std::vector<std::string> list;
  for (const EventWait& wait : waits) {
    const auto here = trace->event(wait.row), causer = trace->event(wait.causer);
    list.push_back(std::string{kWaitKindNames[static_cast<std::size_t>(wait.kind)]} + ": thread " +
                   std::to_string(here->thread) + " waits " + std::to_string(wait.ns) + " for " +
                   (wait.row == wait.causer ? std::string{"nobody known"}
                                            : "thread " + std::to_string(causer->thread) + "'s " +
                                                  std::string{trace->definitions().call_name(causer->call)}));
  }
  return list;
}

TEST(ThreadWaits, AMutexIsWaitedForUntilItsHolderReleasesIt) {
  SyntheticRun run{1};
  mutex(run[0].thread(0), {10, 11}, kFree);
  mutex(run[0].thread(1), {20, 60}, kContended, kTid);
  unlock(run[0].thread(0), 58);
  EXPECT_THAT(thread_waits_of(run), ElementsAre("wait for lock: thread 1 waits 40 for thread 0's pthread_mutex_lock"));
}

TEST(ThreadWaits, OfSeveralHoldersEachIsWaitedForInTurn) {
  SyntheticRun run{1};
  mutex(run[0].thread(0), {10, 11}, kFree);
  mutex(run[0].thread(1), {20, 90}, kContended, kTid);  // behind thread 2, which came later
  mutex(run[0].thread(2), {30, 50}, kContended, kTid);
  run[0].thread(2).call(CallId::Comm_rank, {55, 56});
  EXPECT_THAT(thread_waits_of(run), ElementsAre("wait for lock: thread 1 waits 30 for thread 0's pthread_mutex_lock",
                                                "wait for lock: thread 1 waits 40 for thread 2's pthread_mutex_lock",
                                                "wait for lock: thread 2 waits 20 for thread 0's pthread_mutex_lock"));
}

TEST(ThreadWaits, AHolderThatTakesTheLockAgainAndAgainIsOneCauser) {
  SyntheticRun run{1};
  for (std::uint64_t at = 10; at < 1000; at += 2) {
    mutex(run[0].thread(0), {at, at}, kFree);
    unlock(run[0].thread(0), at + 1);
  }
  mutex(run[0].thread(1), {20, 900}, kContended, kTid);
  EXPECT_THAT(thread_waits_of(run), ElementsAre("wait for lock: thread 1 waits 880 for thread 0's pthread_mutex_lock"));
}

TEST(ThreadWaits, AHolderWhoseLockCallWasNotRecordedIsItsLastCall) {
  SyntheticRun run{1};
  run[0].thread(0).call(CallId::Comm_size, {5, 6});
  run[0].thread(0).call(CallId::Comm_rank, {40, 41});
  run[0].thread(0).call(CallId::Comm_dup, {70, 71});
  mutex(run[0].thread(1), {20, 60}, kContended, kTid);
  EXPECT_THAT(thread_waits_of(run), ElementsAre("wait for lock: thread 1 waits 40 for thread 0's MPI_Comm_rank"));
}

TEST(ThreadWaits, AHolderThatNobodyKnowsIsNotGuessed) {
  SyntheticRun run{1};
  run[0].thread(0).lock(CallId::pthread_spin_lock, {5, 9}, LockKind::spin, kMutex, kContended);
  run[0].thread(1).lock(CallId::pthread_spin_lock, {20, 60}, LockKind::spin, kMutex, kContended);
  EXPECT_THAT(thread_waits_of(run), ElementsAre("wait for lock: thread 0 waits 4 for nobody known",
                                                "wait for lock: thread 1 waits 40 for nobody known"));
  const Summary summary = analysed(run);
  ASSERT_EQ(summary.waits.size(), 1u);
  EXPECT_EQ(summary.waits[0].count, 2u);
  EXPECT_EQ(summary.waits[0].causer_function, "");
}

TEST(ThreadWaits, ASpinLockHasItsLastTakerIfReleasesWereRecorded) {
  SyntheticRun run{1};
  const auto spin = [&](std::uint32_t thread, CallId id, At at, bool is_contended) {
    run[0].thread(thread).lock(id, at, LockKind::spin, kMutex, is_contended);
  };
  spin(0, CallId::pthread_spin_lock, {5, 6}, kFree);
  spin(0, CallId::pthread_spin_unlock, {7, 8}, kFree);
  spin(2, CallId::pthread_spin_lock, {10, 11}, kFree);
  spin(1, CallId::pthread_spin_lock, {20, 60}, kContended);
  spin(2, CallId::pthread_spin_unlock, {59, 60}, kFree);
  EXPECT_THAT(thread_waits_of(run), ElementsAre("wait for lock: thread 1 waits 40 for thread 2's pthread_spin_lock"));
}

TEST(ThreadWaits, AReaderWaitsForTheWriter) {
  SyntheticRun run{1};
  run[0].thread(0).lock(CallId::pthread_rwlock_wrlock, {10, 11}, LockKind::write, kMutex, kFree);
  run[0].thread(1).lock(CallId::pthread_rwlock_rdlock, {20, 60}, LockKind::read, kMutex, kContended, kTid);
  EXPECT_THAT(thread_waits_of(run),
              ElementsAre("wait for lock: thread 1 waits 40 for thread 0's pthread_rwlock_wrlock"));
}

TEST(ThreadWaits, ALockThatWasGivenUpWasWaitedForToo) {
  SyntheticRun run{1};
  mutex(run[0].thread(0), {10, 11}, kFree);
  mutex(run[0].thread(1), {20, 60}, kContended, kTid, kFlagFailed);
  mutex(run[0].thread(2), {30, 80}, kContended, kTid);  // thread 1 never held it
  EXPECT_THAT(thread_waits_of(run), ElementsAre("wait for lock: thread 1 waits 40 for thread 0's pthread_mutex_lock",
                                                "wait for lock: thread 2 waits 50 for thread 0's pthread_mutex_lock"));
}

TEST(ThreadWaits, AnotherObjectAtTheAddressHasNoHolder) {
  SyntheticRun run{1};
  mutex(run[0].thread(0), {10, 11}, kFree);
  run[0].thread(0).lock(CallId::pthread_mutex_destroy, {12, 13}, LockKind::mutex, kMutex, kFree);
  run[0].thread(0).lock(CallId::pthread_mutex_init, {14, 15}, LockKind::mutex, kMutex, kFree);
  mutex(run[0].thread(1), {20, 60}, kContended);
  EXPECT_THAT(thread_waits_of(run), ElementsAre("wait for lock: thread 1 waits 40 for nobody known"));
}

TEST(ThreadWaits, AConditionIsWaitedForUntilTheSignal) {
  SyntheticRun run{1};
  const auto wait = [&](std::uint32_t thread, At at, std::uint8_t flags = 0) {
    run[0].thread(thread).lock(CallId::pthread_cond_wait, at, LockKind::condition, kOther, kContended, 0, flags,
                               kMutex);
  };
  wait(1, {10, 55});
  wait(2, {12, 75});
  run[0].thread(0).lock(CallId::pthread_cond_signal, {50, 51}, LockKind::condition, kOther, kContended);
  run[0].thread(0).lock(CallId::pthread_cond_signal, {70, 71}, LockKind::condition, kOther, kContended);
  wait(1, {100, 160}, kFlagFailed);  // until its time was over
  EXPECT_THAT(thread_waits_of(run),
              ElementsAre("wait for signal: thread 1 waits 40 for thread 0's pthread_cond_signal",
                          "wait for signal: thread 2 waits 58 for thread 0's pthread_cond_signal"));
}

TEST(ThreadWaits, ABroadcastEndsAllWaits) {
  SyntheticRun run{1};
  for (std::uint32_t thread = 1; thread < 4; ++thread)
    run[0].thread(thread).lock(CallId::pthread_cond_wait, {10 + thread, 60 + thread}, LockKind::condition, kOther,
                               kContended, 0, 0, kMutex);
  run[0].thread(0).lock(CallId::pthread_cond_broadcast, {50, 51}, LockKind::condition, kOther, kContended);
  EXPECT_THAT(thread_waits_of(run),
              ElementsAre("wait for signal: thread 1 waits 39 for thread 0's pthread_cond_broadcast",
                          "wait for signal: thread 2 waits 38 for thread 0's pthread_cond_broadcast",
                          "wait for signal: thread 3 waits 37 for thread 0's pthread_cond_broadcast"));
}

TEST(ThreadWaits, ASignalledThreadHasTheMutexAgain) {
  SyntheticRun run{1};
  run[0].thread(1).lock(CallId::pthread_cond_wait, {10, 55}, LockKind::condition, kOther, kContended, 0, 0, kMutex);
  run[0].thread(0).lock(CallId::pthread_cond_signal, {50, 51}, LockKind::condition, kOther, kContended);
  mutex(run[0].thread(2), {60, 90}, kContended, kTid + 1);
  EXPECT_THAT(thread_waits_of(run), ElementsAre("wait for signal: thread 1 waits 40 for thread 0's pthread_cond_signal",
                                                "wait for lock: thread 2 waits 30 for thread 1's pthread_cond_wait"));
}

TEST(ThreadWaits, ASemaphoreIsWaitedForUntilThePost) {
  SyntheticRun run{1};
  run[0].thread(1).lock(CallId::sem_wait, {10, 52}, LockKind::semaphore, kOther, kContended);
  run[0].thread(0).lock(CallId::sem_post, {50, 51}, LockKind::semaphore, kOther, kContended);
  run[0].thread(1).lock(CallId::sem_wait, {60, 61}, LockKind::semaphore, kOther, kFree);
  EXPECT_THAT(thread_waits_of(run), ElementsAre("wait for semaphore: thread 1 waits 40 for thread 0's sem_post"));
}

TEST(ThreadWaits, AtAThreadBarrierAllWaitForTheLastOfEachRound) {
  SyntheticRun run{1};
  const auto arrive = [&](std::uint32_t thread, At at) {
    run[0].thread(thread).lock(CallId::pthread_barrier_wait, at, LockKind::barrier, kOther, false);
  };
  arrive(0, {10, 52});
  arrive(1, {20, 54});
  arrive(2, {50, 90});  // leaves late: thread 0 is in the next round already
  arrive(0, {60, 101});
  arrive(1, {70, 102});
  arrive(2, {100, 103});
  EXPECT_THAT(thread_waits_of(run),
              ElementsAre("wait at thread barrier: thread 0 waits 40 for thread 2's pthread_barrier_wait",
                          "wait at thread barrier: thread 1 waits 30 for thread 2's pthread_barrier_wait",
                          "wait at thread barrier: thread 0 waits 40 for thread 2's pthread_barrier_wait",
                          "wait at thread barrier: thread 1 waits 30 for thread 2's pthread_barrier_wait"));
}

constexpr std::uint64_t kTeam = 0x7ffe1000;

void openmp(SyntheticThread& thread, CallId call, At at, bool is_contended = true, std::uint8_t flags = 0) {
  thread.lock(call, at, LockKind::team, kTeam, is_contended, 0, flags);
}

/// Two regions of a team of two; thread 1 waits inside the library between them and to its end.
void two_regions(SyntheticRun& run) {
  SyntheticThread &master = run[0].thread(0), &other = run[0].thread(1);
  openmp(master, CallId::omp_parallel, {10, 10});
  openmp(other, CallId::omp_share, {12, 12});
  openmp(other, CallId::omp_implicit_barrier, {40, 130});
  openmp(master, CallId::omp_implicit_barrier, {60, 62});
  openmp(master, CallId::omp_parallel, {120, 120});
  openmp(other, CallId::omp_share, {130, 130});
  openmp(master, CallId::omp_implicit_barrier, {140, 182});
  openmp(other, CallId::omp_implicit_barrier, {180, 180}, true, kFlagUnfinished);
  other.end_ticks = 200;
}

TEST(ThreadWaits, AnIdleOpenmpThreadWaitsForTheLastOfItsTeamAndThenForTheNextRegion) {
  SyntheticRun run{1};
  two_regions(run);
  EXPECT_THAT(thread_waits_of(run),
              ElementsAre("wait at thread barrier: thread 1 waits 20 for thread 0's omp_implicit_barrier",
                          "wait for parallel region: thread 1 waits 60 for thread 0's omp_parallel",
                          "wait at thread barrier: thread 0 waits 40 for thread 1's omp_implicit_barrier"));
}

TEST(ThreadWaits, OfATeamAreInTheTableOfRegionsWithTheSharesOfItsThreads) {
  SyntheticRun run{1};
  two_regions(run);
  const Summary summary = analysed(run);
  ASSERT_EQ(summary.openmp_regions.size(), 1U);
  const OpenmpRegionSummary& row = summary.openmp_regions[0];
  EXPECT_EQ(row.regions, 2U);
  EXPECT_EQ(row.shares, 4U);
  EXPECT_EQ(ns(row.time_s), 52 + 62);
  EXPECT_EQ(ns(row.share_s), 50 + 28 + 20 + 50);
  EXPECT_EQ(ns(row.barrier_s), 20 + 40);
  EXPECT_EQ(ns(row.lost_s), 30);
  EXPECT_EQ(row.slowest, 1);
  EXPECT_EQ(ns(row.slowest_s), 28 + 50);
  EXPECT_EQ(ns(row.serial_s), 120 - 62);
  for (const Finding& finding : summary.findings) EXPECT_NE(finding.name, "call.unfinished") << finding.detail;
}

TEST(ThreadWaits, AnOpenmpThreadThatRunsATaskAtABarrierComesAgain) {
  SyntheticRun run{1};
  openmp(run[0].thread(1), CallId::omp_barrier, {20, 30}, kFree);
  openmp(run[0].thread(0), CallId::omp_barrier, {40, 70});
  openmp(run[0].thread(1), CallId::omp_barrier, {55, 72});
  EXPECT_THAT(thread_waits_of(run),
              ElementsAre("wait at thread barrier: thread 0 waits 15 for thread 1's omp_barrier"));
}

TEST(ThreadWaits, AJoinWaitsForTheEndOfTheThread) {
  SyntheticRun run{1};
  run[0].thread(0).thread_op(CallId::pthread_create, {10, 11}, 1);
  run[0].thread(1).call(CallId::Comm_rank, {15, 16});
  run[0].thread(1).end_ticks = 50;
  run[0].thread(0).thread_op(CallId::pthread_join, {20, 55}, 1);
  run[0].thread(2).end_ticks = 50;
  run[0].thread(0).thread_op(CallId::pthread_join, {60, 62}, 1);
  EXPECT_THAT(thread_waits_of(run), ElementsAre("wait for join: thread 0 waits 30 for thread 1's MPI_Comm_rank"));
}

TEST(ThreadWaits, CallsThatNeverReturnedAndOtherRanksAreNotInvolved) {
  SyntheticRun run{2};
  mutex(run[0].thread(0), {10, 11}, kFree);
  mutex(run[0].thread(1), {20, 20}, kContended, kTid, kFlagUnfinished);
  mutex(run[1].thread(0), {15, 16}, kFree);
  run[1].thread(1).call(CallId::Comm_rank, {15, 16});
  EXPECT_THAT(thread_waits_of(run), IsEmpty());
}

TEST(ThreadWaits, AreOnTheCriticalPath) {  // A creates B at 10 and waits for it from 20 to 50
  SyntheticRun run{1};
  SyntheticThread &a = run[0].thread(0), &b = run[0].thread(1);
  a.call(CallId::Init, {1, 2});
  a.thread_op(CallId::pthread_create, {10, 10}, 1);
  a.thread_op(CallId::pthread_join, {20, 50}, 1);
  a.call(CallId::Finalize, {60, 60});
  b.call(CallId::Comm_rank, {12, 12});
  b.begin_ticks = 10;
  b.end_ticks = 50;
  b.creator = 0;
  const Summary summary = analysed(run);
  std::map<std::uint32_t, std::int64_t> path;
  for (const CriticalPathSummary& row : summary.critical_path) path[row.thread] += ns(row.total_s);
  EXPECT_EQ(path, (std::map<std::uint32_t, std::int64_t>{{0, 9 + 10}, {1, 40}}));
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> active;
  for (const ActivePathSummary& row : summary.active_paths) active[{row.thread, row.on_thread}] += ns(row.total_s);
  EXPECT_EQ(active[std::pair(0U, 0U)], 19 + 10);
  EXPECT_EQ(active[std::pair(0U, 1U)], 30);
}

TEST(ThreadWaits, OfARankThatOthersWaitForAreCharged) {
  SyntheticRun run{2};
  mutex(run[0].thread(1), {5, 6}, kFree);
  unlock(run[0].thread(1), 79);
  mutex(run[0].thread(0), {10, 80}, kContended, kTid + 1);
  run[0].thread(0).collective(CallId::Barrier, {90, 100});
  run[1].thread(0).collective(CallId::Barrier, {20, 100});
  const Summary summary = analysed(run);
  std::int64_t all = 0, holders = 0, of_threads = 0;
  for (const DelaySummary& row : summary.delays) {
    all += ns(row.short_term_s) + ns(row.long_term_s);
    of_threads += ns(row.of_threads_s);
    if (row.rank == 0 && row.thread == 1) holders += ns(row.short_term_s) + ns(row.long_term_s);
  }
  EXPECT_EQ(of_threads, 70);
  EXPECT_EQ(all, 70 + 70);
  EXPECT_GT(holders, 70 + 50);  // its own wait, and most of that at the barrier
}

TEST(ThreadWaits, OfThousandsOfThreadsAtOneLockHaveAtMostSixtyFourHolders) {
  SyntheticRun run{1};
  mutex(run[0].thread(0), {1, 2}, kFree);
  for (std::uint32_t i = 1; i <= 200; ++i) mutex(run[0].thread(i), {2 + i, 1000 + 10 * i}, kContended, kTid);
  analysed(run);
  const auto trace = MergedTrace::open(run.merged());
  std::vector<EventWait> waits;
  ASSERT_TRUE(trace->waits(0, trace->events(), waits));
  std::map<std::uint64_t, std::pair<std::int64_t, int>> of_call;
  for (const EventWait& wait : waits) {
    of_call[wait.row].first += wait.ns;
    ++of_call[wait.row].second;
  }
  EXPECT_EQ(of_call.size(), 200u);
  for (const auto& [row, sums] : of_call) {
    EXPECT_EQ(sums.first, trace->event(row)->duration_ns);
    EXPECT_EQ(sums.second, std::min<std::int64_t>(static_cast<std::int64_t>(trace->event(row)->thread), 64));
  }
}

}  // namespace
}  // namespace meridian::test
