// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "synthetic_trace.hpp"

namespace meridian::test {
namespace {

constexpr std::uint64_t kMutex = 0x601040;

void lock(SyntheticThread& thread, CallId id, At at, LockKind kind, std::uint64_t object, bool is_contended,
          std::int32_t holder_tid = 0, std::uint8_t flags = 0) {
  thread.lock(id, at, kind, object, is_contended, holder_tid, flags);
}

Summary merged(SyntheticRun& run) {
  const auto outcome = run.merge();
  EXPECT_TRUE(outcome) << outcome.error().what;
  return outcome ? outcome->summary : Summary{};
}

TEST(Locks, AreAddedUpByObjectWithTheirHolder) {
  SyntheticRun run{1};
  // Kernel tids of the synthetic threads are 10, 11 and 12.
  lock(run[0].thread(0), CallId::pthread_mutex_lock, {1000, 5000}, LockKind::mutex, kMutex, true, 12);
  lock(run[0].thread(1), CallId::pthread_mutex_timedlock, {2000, 4000}, LockKind::mutex, kMutex, true, 12, kFlagFailed);
  lock(run[0].thread(1), CallId::pthread_mutex_lock, {6000, 6500}, LockKind::mutex, kMutex, true, 10);
  lock(run[0].thread(2), CallId::pthread_mutex_lock, {500, 510}, LockKind::mutex, kMutex, false);
  run[0].meta.lock_counts = {{1, LockKind::mutex, kMutex, 40},
                             {2, LockKind::busy, kMutex, 7},
                             {2, LockKind::read, 0x700, 3},
                             {0, LockKind::write, 0x700, 2}};
  const Summary summary = merged(run);
  ASSERT_EQ(summary.locks.size(), 2U);
  const LockSummary& mutex = summary.locks[0];
  EXPECT_EQ(mutex.kind, "mutex");
  EXPECT_EQ(mutex.object, kMutex);
  EXPECT_EQ(mutex.acquisitions, 43U);
  EXPECT_EQ(mutex.contended, 3U);
  EXPECT_NEAR(mutex.wait_s, 6.5e-6, 1e-15);
  EXPECT_NEAR(mutex.longest_s, 4e-6, 1e-15);
  EXPECT_EQ(mutex.most_waiters, 2U);
  EXPECT_EQ(mutex.holder, 2);
  EXPECT_EQ(mutex.held, 2U);
  EXPECT_EQ(mutex.waiter, 1);
  EXPECT_EQ(mutex.waited, 2U);
  EXPECT_EQ(mutex.lives, 1U);
  EXPECT_EQ(summary.locks[1].kind, "rwlock");
  EXPECT_EQ(summary.locks[1].acquisitions, 5U);
  EXPECT_EQ(summary.locks[1].holder, -1);
  EXPECT_EQ(summary.locks[1].waiter, -1);
}

TEST(Locks, CountSignalsPostsAndUnlocksAsNoAcquisition) {
  SyntheticRun run{1};
  SyntheticThread& thread = run[0].thread();
  lock(thread, CallId::sem_init, {100, 110}, LockKind::semaphore, 0x800, false);
  lock(thread, CallId::sem_post, {200, 210}, LockKind::semaphore, 0x800, true);
  lock(thread, CallId::sem_wait, {300, 400}, LockKind::semaphore, 0x800, true);
  lock(thread, CallId::sem_destroy, {500, 510}, LockKind::semaphore, 0x800, false);
  lock(thread, CallId::sem_init, {600, 610}, LockKind::semaphore, 0x800, false);
  lock(thread, CallId::pthread_mutex_unlock, {700, 710}, LockKind::mutex, kMutex, false);
  lock(thread, CallId::pthread_cond_signal, {800, 810}, LockKind::condition, 0x900, true);
  const Summary summary = merged(run);
  ASSERT_EQ(summary.locks.size(), 1U);
  EXPECT_EQ(summary.locks[0].acquisitions, 1U);
  EXPECT_EQ(summary.locks[0].contended, 1U);
  EXPECT_EQ(summary.locks[0].lives, 2U);
}

TEST(Locks, WithNamesLiveUntilTheyWereClosedAsOftenAsOpened) {
  SyntheticRun run{1};
  auto& thread = run[0].thread(0);
  lock(thread, CallId::sem_open, {100, 110}, LockKind::semaphore, 0x800, false);
  lock(thread, CallId::sem_open, {120, 130}, LockKind::semaphore, 0x800, false);
  lock(thread, CallId::sem_close, {140, 150}, LockKind::semaphore, 0x800, false);
  lock(thread, CallId::sem_wait, {300, 400}, LockKind::semaphore, 0x800, true);
  lock(thread, CallId::sem_close, {500, 510}, LockKind::semaphore, 0x800, false);
  lock(thread, CallId::sem_open, {600, 610}, LockKind::semaphore, 0x800, false);
  run[0].meta.texts.push_back({kSemaphoreNameKey, "/a", 0x800, 110});
  run[0].meta.texts.push_back({kSemaphoreNameKey, "/a", 0x800, 130});
  run[0].meta.texts.push_back({kSemaphoreNameKey, "/b", 0x800, 610});
  const Summary summary = merged(run);
  ASSERT_EQ(summary.locks.size(), 1U);
  EXPECT_EQ(summary.locks[0].lives, 2U);
  ASSERT_EQ(summary.lock_names.size(), 1U);
  EXPECT_EQ(summary.lock_names[0].rank, 0);
  EXPECT_EQ(summary.lock_names[0].object, 0x800U);
  EXPECT_EQ(summary.lock_names[0].name, "/a, /b");
}

TEST(Locks, TakeNoTimeInMpi) {
  SyntheticRun run{1};
  lock(run[0].thread(0), CallId::pthread_mutex_lock, {1000, 5000}, LockKind::mutex, kMutex, true);
  run[0].thread(0).call(CallId::Comm_rank, {6000, 6500});
  run[0].thread(1).call(CallId::nanosleep, {1000, 9000});
  const Summary summary = merged(run);
  EXPECT_NEAR(summary.ranks[0].mpi_s, 0.5e-6, 1e-15);
  EXPECT_EQ(summary.ranks[0].threads, 1U);
  EXPECT_EQ(summary.run.threads, 1U);
  EXPECT_EQ(summary.run.calls, 1U);
  EXPECT_EQ(summary.run.thread_calls, 2U);
  EXPECT_EQ(summary.ranks[0].thread_calls, 2U);
}

TEST(Locks, ComeWithTheThreadsOfTheirRank) {
  SyntheticRun run{1};
  run[0].thread(0).call(CallId::Comm_rank, {1000, 2000});
  run[0].thread(1).call(CallId::sleep, {3000, 5000});
  run[0].meta.texts.push_back({"thread.name", "worker", 1, 3000});
  const Summary summary = merged(run);
  ASSERT_EQ(summary.threads.size(), 2U);
  EXPECT_EQ(summary.threads[1].thread, 1U);
  EXPECT_EQ(summary.threads[1].name, "worker");
  EXPECT_EQ(summary.threads[1].creator, -1);
  EXPECT_EQ(summary.threads[0].calls, 1U);
  EXPECT_EQ(summary.threads[0].thread_calls, 0U);
  EXPECT_EQ(summary.threads[1].calls, 0U);
  EXPECT_EQ(summary.threads[1].thread_calls, 1U);
  EXPECT_NEAR(summary.threads[1].begin_s, 2e-6, 1e-15);
  EXPECT_NEAR(summary.threads[1].life_s, 2e-6, 1e-15);
}

}  // namespace
}  // namespace meridian::test
