// SPDX-License-Identifier: Apache-2.0
// Sums of the lock calls of one rank, by object.

#include "merger/match/locks/lock_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace meridian {
namespace {

using testing::DoubleEq;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::uint64_t kMutex = 0x1000;

class LockTableTest : public testing::Test {
 protected:
  struct Times {
    std::uint64_t enter = 0;
    std::uint64_t leave = 0;
  };
  /// A call of `thread`; one tick is one ns.
  void call(CallId id, const LockUse& use, Times times, std::uint32_t thread = 0, std::uint8_t flags = 0) {
    Call made;
    made.call = id;
    made.payload = Payload::lock;
    made.flags = flags;
    made.thread = thread;
    made.enter_ticks = times.enter;
    made.leave_ticks = times.leave;
    made.lock = &use;
    table_.add(made, static_cast<std::int64_t>(times.enter), static_cast<std::int64_t>(times.leave - times.enter));
  }
  static LockUse use_of(LockKind kind, std::uint64_t object, bool is_contended = false, std::int32_t holder_tid = 0) {
    LockUse use;
    use.object = object;
    use.kind = static_cast<std::uint8_t>(kind);
    use.is_contended = is_contended ? 1 : 0;
    use.holder_tid = holder_tid;
    return use;
  }
  std::vector<LockSummary> rows() const { return table_.rows(meta_); }

  RankMeta meta_;
  LockTable table_;
};

TEST_F(LockTableTest, CountsAcquisitionsAndTheWaitsAmongThem) {
  call(CallId::pthread_mutex_lock, use_of(LockKind::mutex, kMutex), {10, 11});
  call(CallId::pthread_mutex_lock, use_of(LockKind::mutex, kMutex, true), {20, 50}, 1);
  call(CallId::pthread_mutex_lock, use_of(LockKind::mutex, kMutex, true), {60, 70}, 1);
  ASSERT_THAT(rows(), SizeIs(1));
  const LockSummary row = rows().front();
  EXPECT_EQ(row.kind, "mutex");
  EXPECT_EQ(row.object, kMutex);
  EXPECT_EQ(row.acquisitions, 3u);
  EXPECT_EQ(row.contended, 2u);
  EXPECT_EQ(row.lives, 1u);
  EXPECT_THAT(row.wait_s, DoubleEq(40e-9));
  EXPECT_THAT(row.longest_s, DoubleEq(30e-9));
  EXPECT_EQ(row.most_waiters, 1u);
  EXPECT_EQ(row.waiter, 1);
  EXPECT_EQ(row.waited, 2u);
}

TEST_F(LockTableTest, NamesTheHolderThatWasWaitedForMost) {
  meta_.threads = {{.thread = 4, .kernel_tid = 104}, {.thread = 5, .kernel_tid = 105}};
  call(CallId::pthread_mutex_lock, use_of(LockKind::mutex, kMutex, true, 104), {10, 20});
  call(CallId::pthread_mutex_lock, use_of(LockKind::mutex, kMutex, true, 105), {30, 40});
  call(CallId::pthread_mutex_lock, use_of(LockKind::mutex, kMutex, true, 105), {50, 60});
  EXPECT_EQ(rows().front().holder, 5);
  EXPECT_EQ(rows().front().held, 2u);
}

TEST_F(LockTableTest, CountsTheThreadsThatWaitAtTheSameTime) {
  call(CallId::pthread_mutex_lock, use_of(LockKind::mutex, kMutex, true), {10, 40}, 1);
  call(CallId::pthread_mutex_lock, use_of(LockKind::mutex, kMutex, true), {20, 60}, 2);
  call(CallId::pthread_mutex_lock, use_of(LockKind::mutex, kMutex, true), {40, 70}, 3);  // the first wait is over
  EXPECT_EQ(rows().front().most_waiters, 2u);
}

TEST_F(LockTableTest, AFailedCallAcquiresNothingButWaits) {
  call(CallId::pthread_mutex_timedlock, use_of(LockKind::mutex, kMutex, true), {10, 30}, 0, kFlagFailed);
  EXPECT_EQ(rows().front().acquisitions, 0u);
  EXPECT_EQ(rows().front().contended, 1u);
}

TEST_F(LockTableTest, ReadersAndWritersUseOneLock) {
  call(CallId::pthread_rwlock_rdlock, use_of(LockKind::read, kMutex), {10, 11});
  call(CallId::pthread_rwlock_wrlock, use_of(LockKind::write, kMutex), {20, 21});
  ASSERT_THAT(rows(), SizeIs(1));
  EXPECT_EQ(rows().front().kind, "rwlock");
  EXPECT_EQ(rows().front().acquisitions, 2u);
}

TEST_F(LockTableTest, AnotherInitAtTheSameAddressIsAnotherLife) {
  for (const std::uint64_t begin : {10UL, 100UL}) {
    call(CallId::pthread_mutex_init, use_of(LockKind::mutex, kMutex), {begin, begin + 1});
    call(CallId::pthread_mutex_lock, use_of(LockKind::mutex, kMutex), {begin + 10, begin + 11});
    call(CallId::pthread_mutex_unlock, use_of(LockKind::mutex, kMutex), {begin + 20, begin + 21});
    call(CallId::pthread_mutex_destroy, use_of(LockKind::mutex, kMutex), {begin + 30, begin + 31});
  }
  EXPECT_EQ(rows().front().lives, 2u);
  EXPECT_EQ(rows().front().acquisitions, 2u);
}

TEST_F(LockTableTest, ALockThatIsNeverTakenHasNoRow) {
  call(CallId::pthread_mutex_init, use_of(LockKind::mutex, kMutex), {10, 11});
  EXPECT_THAT(rows(), IsEmpty());
}

TEST_F(LockTableTest, AddsTheAcquisitionsThatThreadsOnlyCounted) {
  meta_.lock_counts = {{.thread = 0, .kind = LockKind::mutex, .object = kMutex, .count = 7},
                       {.thread = 1, .kind = LockKind::mutex, .object = kMutex, .count = 2},
                       {.thread = 1, .kind = LockKind::busy, .object = kMutex, .count = 100}};
  call(CallId::pthread_mutex_lock, use_of(LockKind::mutex, kMutex), {10, 11});
  ASSERT_THAT(rows(), SizeIs(1));
  EXPECT_EQ(rows().front().acquisitions, 10u);
}

TEST_F(LockTableTest, ListsTheLongestWaitsFirst) {
  call(CallId::pthread_mutex_lock, use_of(LockKind::mutex, kMutex, true), {10, 20});
  call(CallId::pthread_mutex_lock, use_of(LockKind::mutex, kMutex + 64, true), {10, 90});
  ASSERT_THAT(rows(), SizeIs(2));
  EXPECT_EQ(rows()[0].object, kMutex + 64);
  EXPECT_EQ(rows()[1].object, kMutex);
}

TEST_F(LockTableTest, AddsUpTheTimeForWhichAThreadWaitsForTheEndOfAnother) {
  ThreadOp joined;
  joined.thread = 3;
  Call join;
  join.call = CallId::pthread_join;
  join.payload = Payload::thread_op;
  join.thread_op = &joined;
  table_.add_join(join, 30);
  table_.add_join(join, 12);
  joined.thread = kNoThread;
  table_.add_join(join, 1000);
  EXPECT_THAT(table_.joined_ns(), testing::ElementsAre(testing::Pair(testing::Pair(0u, 3u), 42)));
}

}  // namespace
}  // namespace meridian
