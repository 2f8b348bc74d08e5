// SPDX-License-Identifier: Apache-2.0
// Determines the holders of locks from the records of the waiting threads.

#include "live/lock_holders.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace meridian {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::uint64_t kMutex = 0x5000;
constexpr std::uint64_t kUnderWay = 0;

std::int32_t tid_of(std::uint32_t thread) { return static_cast<std::int32_t>(1000 + thread); }

/// Three running threads that have been outside of recorded calls since tick 1, and a thread that has ended.
class LockHoldersTest : public ::testing::Test {
 protected:
  LockHoldersTest() : threads_(4) {
    for (std::uint32_t i = 0; i < threads_.size(); ++i) {
      threads_[i].thread = i;
      threads_[i].kernel_tid = tid_of(i);
      threads_[i].is_alive = i != 3;
      threads_[i].since_ticks = 1;
    }
  }

  void wants(std::uint32_t thread, std::uint64_t ticks, std::int32_t holder_tid, LockKind kind = LockKind::mutex,
             CallId call = CallId::pthread_mutex_lock) {
    take(thread, call, kind, holder_tid, ticks, kUnderWay);
    WaitedFor what{.kind = WaitedFor::Kind::lock, .call = call};
    what.object = kMutex;
    what.lock = kind;
    threads_[thread].call = call;
    threads_[thread].since_ticks = ticks;
    threads_[thread].waits = {what};
  }
  void waits_elsewhere_since(std::uint32_t thread, std::uint64_t ticks) {
    threads_[thread].call = CallId::Recv;
    threads_[thread].since_ticks = ticks;
  }
  void take(std::uint32_t thread, CallId call, LockKind kind, std::int32_t holder_tid, std::uint64_t enter,
            std::uint64_t leave, std::uint64_t mutex = 0) {
    LockUse use;
    use.object = kMutex;
    use.mutex = mutex;
    use.kind = static_cast<std::uint8_t>(kind);
    use.is_contended = 1;
    use.holder_tid = holder_tid;
    holders_.take(thread, call, use, enter, leave);
  }
  /// Took it while it was free.
  void uses(std::uint32_t thread, LockKind kind = LockKind::mutex, std::uint64_t object = kMutex) {
    counts_.push_back({thread, kind, object, 1});
  }
  const std::vector<std::uint32_t>& holders_for(std::uint32_t thread) {
    holders_.resolve(threads_, counts_, [&](const WaitedFor&) { return now_; });
    return threads_[thread].waits.front().threads;
  }

  std::vector<ThreadNow> threads_;
  std::vector<LockCountRow> counts_;
  std::optional<std::int32_t> now_;
  LockHolders holders_;
};

TEST_F(LockHoldersTest, IsTheHolderThatTheWaiterFound) {
  wants(1, 50, tid_of(2));
  EXPECT_THAT(holders_for(1), ElementsAre(2));
}

TEST_F(LockHoldersTest, MayBeAnyUserThatWasActiveSince) {
  uses(0);
  uses(2);
  wants(1, 50, tid_of(2));
  EXPECT_THAT(holders_for(1), ElementsAre(2, 0));
  waits_elsewhere_since(0, 40);
  EXPECT_THAT(holders_for(1), ElementsAre(2));
  waits_elsewhere_since(0, 60);
  EXPECT_THAT(holders_for(1), ElementsAre(2, 0));
}

TEST_F(LockHoldersTest, IsTheLatestKnownOne) {
  wants(1, 50, tid_of(2));
  take(0, CallId::pthread_mutex_lock, LockKind::mutex, tid_of(2), 45, 70);
  waits_elsewhere_since(2, 60);
  EXPECT_THAT(holders_for(1), ElementsAre(0));
}

TEST_F(LockHoldersTest, ReleasesItWhileItWaitsForACondition) {
  uses(0);
  wants(1, 50, tid_of(2));
  take(2, CallId::pthread_cond_wait, LockKind::condition, 0, 60, kUnderWay, kMutex);
  threads_[2].call = CallId::pthread_cond_wait;
  threads_[2].since_ticks = 60;
  EXPECT_THAT(holders_for(1), ElementsAre(0));
}

TEST_F(LockHoldersTest, HasItAgainWhenItHasWaitedForACondition) {
  wants(1, 50, tid_of(2));
  take(0, CallId::pthread_cond_wait, LockKind::condition, 0, 20, 80, kMutex);
  waits_elsewhere_since(2, 60);
  EXPECT_THAT(holders_for(1), ElementsAre(0));
}

TEST_F(LockHoldersTest, IsUnknownWithoutARecord) {
  wants(1, 50, 0);
  EXPECT_THAT(holders_for(1), IsEmpty());
}

TEST_F(LockHoldersTest, MayBeAnyReaderOfALockThatAWriterWants) {
  uses(0, LockKind::read);
  uses(2, LockKind::read);
  waits_elsewhere_since(2, 10);
  wants(1, 50, 0, LockKind::write, CallId::pthread_rwlock_wrlock);
  EXPECT_THAT(holders_for(1), ElementsAre(0, 2));
}

TEST_F(LockHoldersTest, MayBeAThreadWithMoreLocksThanItCountsIndividually) {
  uses(0, LockKind::mutex, 0);
  wants(1, 50, 0);
  EXPECT_THAT(holders_for(1), ElementsAre(0));
}

TEST_F(LockHoldersTest, MayHaveEndedWithoutReleasingIt) {
  wants(1, 50, tid_of(3));
  EXPECT_THAT(holders_for(1), ElementsAre(3));
}

TEST_F(LockHoldersTest, IsTheLiveThreadIfATidWasReused) {
  threads_[3].kernel_tid = tid_of(2);
  wants(1, 50, tid_of(2));
  EXPECT_THAT(holders_for(1), ElementsAre(2));
}

TEST_F(LockHoldersTest, IsUnknownIfItBelongsToAnotherProcess) {
  uses(0);
  wants(1, 50, 77777);
  EXPECT_THAT(holders_for(1), IsEmpty());
}

TEST_F(LockHoldersTest, IsTheHolderThatTheProcessStoresNow) {
  uses(0);
  wants(1, 50, tid_of(2));
  now_ = tid_of(0);
  EXPECT_THAT(holders_for(1), ElementsAre(0));
  now_ = 0;
  EXPECT_THAT(holders_for(1), IsEmpty());
}

TEST_F(LockHoldersTest, IsTheWaiterItselfIfItWantsItTwice) {
  uses(1);
  wants(1, 50, tid_of(1));
  EXPECT_THAT(holders_for(1), ElementsAre(1));
}

TEST_F(LockHoldersTest, DoesNotExistAfterARecordedRelease) {
  wants(1, 50, tid_of(2));
  take(2, CallId::pthread_mutex_unlock, LockKind::mutex, 0, 60, 61);
  waits_elsewhere_since(2, 70);
  EXPECT_THAT(holders_for(1), IsEmpty());
}

}  // namespace
}  // namespace meridian
