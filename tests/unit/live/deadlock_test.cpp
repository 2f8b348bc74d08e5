// SPDX-License-Identifier: Apache-2.0
// Finds deadlocks from who waits for whom.

#include "live/deadlock.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace meridian {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Party anybody_of(std::int32_t rank) { return {rank, kAnyThread}; }

/// The one thread of a rank waits for others: for one rank of each list.
ThreadWait needs_all(std::int32_t rank, const std::vector<std::vector<std::int32_t>>& needs, std::int64_t thread = 0) {
  ThreadWait wait{{rank, thread}, false, true, {}};
  for (const auto& ranks : needs) {
    wait.needs.emplace_back();
    for (const std::int32_t helper : ranks) wait.needs.back().push_back(anybody_of(helper));
  }
  return wait;
}
ThreadWait needs_one(std::int32_t rank, const std::vector<std::vector<std::int32_t>>& needs) {
  ThreadWait wait = needs_all(rank, needs);
  wait.is_one_enough = true;
  return wait;
}
/// A thread waits for one of the others of its rank.
ThreadWait needs_thread(Party who, const std::vector<std::int64_t>& threads) {
  ThreadWait wait{who, false, true, {{}}};
  for (const std::int64_t thread : threads) wait.needs.back().push_back({who.rank, thread});
  return wait;
}

TEST(FindDeadlock, FindsNoneIfNoThreadWaits) { EXPECT_THAT(find_deadlock({}, {}, {}).ranks, IsEmpty()); }

TEST(FindDeadlock, FindsTwoThatWaitForEachOther) {
  const Deadlock found = find_deadlock({needs_all(3, {{5}}), needs_all(5, {{3}})}, {}, {});
  EXPECT_THAT(found.ranks, ElementsAre(3, 5));
  EXPECT_THAT(found.threads, ElementsAre(Party{3, 0}, Party{5, 0}));
  EXPECT_THAT(found.cycle, ElementsAre(Party{3, 0}, Party{5, 0}));
  EXPECT_THAT(found.ended, IsEmpty());
}

TEST(FindDeadlock, FindsNoneIfTheLastOfAChainCanAct) {
  EXPECT_THAT(find_deadlock({needs_all(0, {{1}}), needs_all(1, {{2}})}, {2}, {}).ranks, IsEmpty());
}

TEST(FindDeadlock, FindsNoneIfAnUnknownRankIsWaitedFor) {
  EXPECT_THAT(find_deadlock({needs_all(0, {{1}}), needs_all(1, {{2}})}, {}, {}).ranks, IsEmpty());
}

TEST(FindDeadlock, ARankThatWaitsForAnyRankIsInACycleWithAnotherOne) {
  const Deadlock found = find_deadlock({needs_all(0, {{0, 1}}), needs_all(1, {{0, 1}})}, {}, {});
  EXPECT_THAT(found.cycle, ElementsAre(Party{0, 0}, Party{1, 0}));
  EXPECT_THAT(find_deadlock({needs_all(0, {{0}})}, {}, {}).cycle, ElementsAre(Party{0, 0})) << "alone";
}

TEST(FindDeadlock, IncludesThreadsThatWaitForTheCycleFromOutside) {
  const Deadlock found = find_deadlock({needs_all(0, {{1}}), needs_all(1, {{2}}), needs_all(2, {{1}})}, {}, {});
  EXPECT_THAT(found.ranks, ElementsAre(0, 1, 2));
  EXPECT_THAT(found.cycle, ElementsAre(Party{1, 0}, Party{2, 0}));
}

TEST(FindDeadlock, FindsNoneIfOneOfSeveralSendersCanAct) {
  EXPECT_THAT(find_deadlock({needs_all(0, {{1, 2}}), needs_all(1, {{0}})}, {2}, {}).ranks, IsEmpty());
}

TEST(FindDeadlock, FindsAReceiveFromAnySourceIfNoSenderCanAct) {
  EXPECT_THAT(find_deadlock({needs_all(0, {{1, 2}}), needs_all(1, {{0}}), needs_all(2, {{0}})}, {}, {}).ranks,
              ElementsAre(0, 1, 2));
}

TEST(FindDeadlock, FindsAWaitallIfOneRequestCannotComplete) {
  EXPECT_THAT(find_deadlock({needs_all(0, {{1}, {7}}), needs_all(1, {{0}})}, {7}, {}).ranks, ElementsAre(0, 1));
}

TEST(FindDeadlock, FindsNoWaitanyIfOneRequestCanComplete) {
  EXPECT_THAT(find_deadlock({needs_one(0, {{1}, {7}}), needs_all(1, {{0}})}, {7}, {}).ranks, IsEmpty());
}

TEST(FindDeadlock, FindsRanksThatWaitForOneThatHasEnded) {
  const Deadlock found = find_deadlock({needs_all(0, {{1}}), needs_all(2, {{0}})}, {}, {.ranks = {1}, .threads = {}});
  EXPECT_THAT(found.ranks, ElementsAre(0, 2));
  EXPECT_THAT(found.cycle, IsEmpty());
  EXPECT_THAT(found.ended, ElementsAre(anybody_of(1)));
}

TEST(FindDeadlock, FindsNoneIfAnotherThreadOfTheRankCanProceed) {
  EXPECT_THAT(find_deadlock({needs_all(0, {{1}}), needs_all(0, {{2}}, 1), needs_all(1, {{0}})}, {2}, {}).ranks,
              IsEmpty());
  EXPECT_THAT(find_deadlock({needs_all(0, {{1}}), needs_all(1, {{0}})}, {0}, {}).ranks, IsEmpty());
}

TEST(FindDeadlock, FindsTwoThreadsThatWantEachOthersLock) {
  const Deadlock found = find_deadlock({needs_thread({2, 1}, {4}), needs_thread({2, 4}, {1})}, {2}, {});
  EXPECT_THAT(found.ranks, ElementsAre(2));
  EXPECT_THAT(found.threads, ElementsAre(Party{2, 1}, Party{2, 4}));
  EXPECT_THAT(found.cycle, ElementsAre(Party{2, 1}, Party{2, 4}));
}

TEST(FindDeadlock, FindsAThreadThatWantsItsOwnLock) {
  EXPECT_THAT(find_deadlock({needs_thread({0, 3}, {3})}, {0}, {}).cycle, ElementsAre(Party{0, 3}));
}

TEST(FindDeadlock, FindsNoneIfAPossibleHolderOfTheLockCanAct) {
  EXPECT_THAT(find_deadlock({needs_thread({0, 1}, {2, 3}), needs_thread({0, 2}, {1})}, {}, {}).threads, IsEmpty());
  EXPECT_THAT(
      find_deadlock({needs_thread({0, 1}, {2, 3}), needs_thread({0, 2}, {1}), needs_thread({0, 3}, {1})}, {}, {})
          .threads,
      ElementsAre(Party{0, 1}, Party{0, 2}, Party{0, 3}));
}

TEST(FindDeadlock, FindsAThreadThatWaitsForALockOfAnEndedThread) {
  const Deadlock found = find_deadlock({needs_thread({0, 1}, {2})}, {0}, {.ranks = {}, .threads = {{0, 2}}});
  EXPECT_THAT(found.threads, ElementsAre(Party{0, 1}));
  EXPECT_THAT(found.ended, ElementsAre(Party{0, 2}));
}

TEST(FindDeadlock, FindsCyclesThroughLocksAndMessages) {
  // Rank 0's thread 1 receives from rank 1, whose only thread wants a lock of a thread that receives from rank 0, whose
  // other thread joins the first.
  const Deadlock found = find_deadlock(
      {needs_thread({0, 0}, {1}), needs_all(0, {{1}}, 1), needs_thread({1, 0}, {1}), needs_all(1, {{0}}, 1)}, {}, {});
  EXPECT_THAT(found.threads, ElementsAre(Party{0, 0}, Party{0, 1}, Party{1, 0}, Party{1, 1}));
  EXPECT_THAT(found.cycle, ElementsAre(Party{0, 0}, Party{0, 1}, Party{1, 0}, Party{1, 1}));
}

TEST(FindDeadlock, DoesNotCountOnThreadsThatNeverCalledMpi) {
  ThreadWait worker = needs_thread({0, 1}, {2});  // thread 2 is unknown, so it can act
  worker.helps_others = false;
  EXPECT_THAT(find_deadlock({needs_all(0, {{1}}), worker, needs_all(1, {{0}})}, {}, {}).threads,
              ElementsAre(Party{0, 0}, Party{1, 0}));
}

}  // namespace
}  // namespace meridian
