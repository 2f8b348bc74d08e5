// SPDX-License-Identifier: Apache-2.0
// Orders in which threads take locks.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "synthetic_trace.hpp"
#include "tests/support/seed.hpp"

namespace meridian::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Threads of one rank, whose calls follow one another.
class LockOrders : public ::testing::Test {
 protected:
  void take(std::uint32_t thread, std::uint64_t object, CallId id = CallId::pthread_mutex_lock,
            LockKind kind = LockKind::mutex, std::uint8_t flags = 0) {
    (*run_)[0].thread(thread).lock(id, {now_, now_ + 1}, kind, object, false, 0, flags);
    now_ += 2;
  }
  void give(std::uint32_t thread, std::uint64_t object, CallId id = CallId::pthread_mutex_unlock,
            LockKind kind = LockKind::mutex) {
    (*run_)[0].thread(thread).lock(id, {now_, now_ + 1}, kind, object, false);
    now_ += 2;
  }
  void take_all(std::uint32_t thread, const std::vector<std::uint64_t>& objects) {
    for (const std::uint64_t object : objects) take(thread, object);
    for (auto object = objects.rbegin(); object != objects.rend(); ++object) give(thread, *object);
  }
  /// The detail of the finding lock.order; none: there is none.
  std::vector<std::string> found() {
    (*run_)[0].thread(9).call(CallId::Comm_rank, {1, 2});
    const auto outcome = run_->merge();
    EXPECT_TRUE(outcome) << outcome.error().what;
    std::vector<std::string> list;
    for (const Finding& finding : outcome->summary.findings)
      if (finding.name == "lock.order") list.push_back(std::to_string(finding.count) + " " + finding.detail);
    return list;
  }

  std::unique_ptr<SyntheticRun> run_ = std::make_unique<SyntheticRun>(1);
  std::uint64_t now_ = 10;
};

TEST_F(LockOrders, OfTwoThreadsThatDifferAreFoundWithoutADeadlock) {
  take_all(0, {0xa, 0xb});
  take_all(1, {0xb, 0xa});
  EXPECT_THAT(found(),
              ElementsAre("1 rank 0: thread 0 takes 0xb while it has 0xa, thread 1 takes 0xa while it has 0xb"));
}

TEST_F(LockOrders, ThatAgreeAreNone) {
  take_all(0, {0xa, 0xb, 0xc});
  take_all(1, {0xa, 0xc});
  take_all(2, {0xb, 0xc});
  EXPECT_THAT(found(), IsEmpty());
}

TEST_F(LockOrders, OfOneThreadAreHarmless) {
  take_all(0, {0xa, 0xb});
  take_all(0, {0xb, 0xa});
  EXPECT_THAT(found(), IsEmpty());
}

TEST_F(LockOrders, OfLocksThatAreTakenOneAfterTheOtherAreNone) {
  for (const std::uint32_t thread : {0U, 1U}) {
    take_all(thread, {thread == 0 ? 0xaU : 0xbU});
    take_all(thread, {thread == 0 ? 0xbU : 0xaU});
  }
  EXPECT_THAT(found(), IsEmpty());
}

TEST_F(LockOrders, OfThreeThreadsMayFormACircle) {
  take_all(0, {0xa, 0xb});
  take_all(1, {0xb, 0xc});
  take_all(2, {0xc, 0xa});
  EXPECT_THAT(found(),
              ElementsAre("1 rank 0: thread 0 takes 0xb while it has 0xa, thread 1 takes 0xc while it has 0xb, "
                          "thread 2 takes 0xa while it has 0xc"));
}

TEST_F(LockOrders, UnderACommonLockAreHarmless) {
  take_all(0, {0xf, 0xa, 0xb});
  take_all(1, {0xf, 0xb, 0xa});
  EXPECT_THAT(found(), IsEmpty());
  take_all(2, {0xb, 0xa});
  EXPECT_THAT(found(), ::testing::SizeIs(1));
}

TEST_F(LockOrders, OfReadersAreHarmlessWithoutAWriter) {
  const auto read = [&](std::uint32_t thread, std::uint64_t object) {
    take(thread, object, CallId::pthread_rwlock_rdlock, LockKind::read);
  };
  const auto done = [&](std::uint32_t thread, std::uint64_t object) {
    give(thread, object, CallId::pthread_rwlock_unlock, LockKind::write);
  };
  for (const std::uint32_t thread : {0U, 1U}) {
    read(thread, thread == 0 ? 0xa : 0xb);
    read(thread, thread == 0 ? 0xb : 0xa);
    done(thread, 0xa);
    done(thread, 0xb);
  }
  EXPECT_THAT(found(), IsEmpty());
}

TEST_F(LockOrders, OfTriesAndFailuresAreHarmless) {
  take(0, 0xa);
  take(0, 0xb);
  give(0, 0xb);
  give(0, 0xa);
  take(1, 0xb);
  take(1, 0xa, CallId::pthread_mutex_trylock);
  give(1, 0xa);
  take(1, 0xa, CallId::pthread_mutex_timedlock, LockKind::mutex, kFlagFailed);
  give(1, 0xb);
  EXPECT_THAT(found(), IsEmpty());
}

TEST_F(LockOrders, OfANewLockAtTheAddressOfAnOldOneAreOthers) {
  take_all(0, {0xa, 0xb});
  (*run_)[0].thread(0).lock(CallId::pthread_mutex_destroy, {now_, now_ + 1}, LockKind::mutex, 0xa, false);
  now_ += 2;
  take_all(1, {0xb, 0xa});
  EXPECT_THAT(found(), IsEmpty());
}

TEST_F(LockOrders, WithoutReleasesAreUnknown) {
  for (const std::uint32_t thread : {0U, 1U}) {
    take(thread, thread == 0 ? 0xa : 0xb);
    take(thread, thread == 0 ? 0xb : 0xa);
  }
  EXPECT_THAT(found(), IsEmpty());
}

TEST_F(LockOrders, AWaitForAConditionTakesItsMutexLast) {
  take(0, 0xa);  // the mutex of the condition
  take(0, 0xb);
  (*run_)[0].thread(0).lock(CallId::pthread_cond_wait, {now_, now_ + 1}, LockKind::condition, 0xc, true, 0, 0, 0xa);
  now_ += 2;
  give(0, 0xb);
  give(0, 0xa);
  take_all(1, {0xa, 0xb});
  EXPECT_THAT(found(),
              ElementsAre("1 rank 0: thread 1 takes 0xb while it has 0xa, thread 0 takes 0xa while it has 0xb"));
}

TEST_F(LockOrders, AWaitForAConditionWhoseMutexIsUnknownTakesNothing) {
  const auto wait = [&](std::uint32_t thread, std::uint64_t condition) {
    (*run_)[0].thread(thread).lock(CallId::cnd_wait, {now_, now_ + 1}, LockKind::condition, condition, true);
    now_ += 2;
  };
  take(0, 0xa);
  wait(0, 0xc);
  give(0, 0xa);
  wait(1, 0xd);
  take_all(1, {0xa});
  EXPECT_THAT(found(), IsEmpty());
}

TEST_F(LockOrders, OfRandomProgramsHaveACircleWhereAPlainSearchFindsOne) {
  std::mt19937_64 random{test::seeded(7)};
  for (int trial = 0; trial < 20; ++trial) {
    run_ = std::make_unique<SyntheticRun>(1);
    std::set<std::pair<std::uint64_t, std::uint64_t>>
        before;  // a was held when b was taken; each by a thread of its own
    for (std::uint32_t thread = 0; thread < 5; ++thread) {
      std::vector<std::uint64_t> locks{0xa, 0xb, 0xc, 0xd, 0xe, 0xf};
      std::ranges::shuffle(locks, random);
      locks.resize(2);
      if (random() % 3 != 0) std::ranges::sort(locks);
      take_all(thread, locks);
      before.insert({locks[0], locks[1]});
    }
    auto reach = before;
    for (std::size_t size = 0; size != reach.size();) {
      size = reach.size();
      for (const auto& [a, b] : before)
        for (const auto& [c, d] : std::set{reach})
          if (b == c) reach.insert({a, d});
    }
    const bool has_circle = std::ranges::any_of(reach, [](const auto& pair) { return pair.first == pair.second; });
    EXPECT_EQ(!found().empty(), has_circle) << "trial " << trial;
  }
}

}  // namespace
}  // namespace meridian::test
