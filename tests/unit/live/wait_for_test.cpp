// SPDX-License-Identifier: Apache-2.0
// Determines who waits for whom from the calls of ranks.

#include "live/wait_for.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "live/rank_tracker.hpp"
#include "merger/load/unify_definitions.hpp"
#include "tests/unit/merger/synthetic_trace.hpp"

namespace meridian::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::uint64_t kRequest = 0x900;
constexpr std::uint64_t kOther = 0x55;

/// Ranks that were killed together.
class WhoWaitsTest : public ::testing::Test {
 protected:
  explicit WhoWaitsTest(std::int32_t size = 2) {
    for (std::int32_t rank = 0; rank < size; ++rank) {
      ranks.emplace_back(rank, size);
      ranks.back().meta.is_finalized = false;
    }
  }

  /// The last call of the thread has not returned.
  static void leave_open(SyntheticThread& thread) {
    thread.batch.flags.back() = static_cast<std::uint8_t>(thread.batch.flags.back() | kFlagUnfinished);
  }
  void receives(std::int32_t rank, std::uint64_t enter, std::int32_t source, std::int32_t tag,
                std::uint32_t number = 0) {
    SyntheticThread& thread = ranks[static_cast<std::size_t>(rank)].thread(number);
    thread.receive({enter, enter}, source, tag, {0, 0, kNotKnown});
    leave_open(thread);
  }
  void sends(std::int32_t rank, std::uint64_t enter, std::int32_t destination, std::int32_t tag) {
    SyntheticThread& thread = ranks[static_cast<std::size_t>(rank)].thread();
    thread.send({enter, enter}, destination, tag, 8);
    leave_open(thread);
  }
  void waits(std::int32_t rank, std::uint64_t enter, std::uint64_t request) {
    SyntheticThread& thread = ranks[static_cast<std::size_t>(rank)].thread();
    thread.requests(CallId::Wait, {enter, enter}, {{request, 0, 0, kNotKnown}});
    leave_open(thread);
  }
  void is_in(std::int32_t rank, std::uint64_t enter, CallId collective, std::uint64_t comm = kWorld) {
    SyntheticThread& thread = ranks[static_cast<std::size_t>(rank)].thread();
    thread.collective(collective, {enter, enter}, 0, 0, kNoRoot, 0, comm);
    leave_open(thread);
  }
  void has_passed(std::int32_t rank, std::uint64_t enter, CallId collective) {
    ranks[static_cast<std::size_t>(rank)]->collective(collective, {enter, enter + 1});
  }

  Deadlock deadlock() {
    std::vector<RankNow> now;
    std::vector<const RankMeta*> metas;
    for (SyntheticRank& rank : ranks) {
      rank.close();
      metas.push_back(&rank.meta);
      RankTracker tracker;
      for (const auto& [number, thread] : rank.threads) tracker.take(number, thread.batch);
      now.push_back(tracker.finish(rank.meta, false, [](const WaitedFor&) { return std::nullopt; }));
    }
    Findings findings;
    Communicators communicators = unify_definitions(metas, static_cast<std::int32_t>(ranks.size()), findings);
    const WhoWaits waits = who_waits(now, communicators, false);
    return find_deadlock(waits.waits, waits.free, waits.ended);
  }

  std::vector<SyntheticRank> ranks;
};
class WhoWaitsOfThreeTest : public WhoWaitsTest {
 protected:
  WhoWaitsOfThreeTest() : WhoWaitsTest{3} {}
};

TEST_F(WhoWaitsTest, TwoThatReceiveFromEachOtherAreStuck) {
  receives(0, 10, 1, 7);
  receives(1, 10, 0, 7);
  EXPECT_THAT(deadlock().ranks, ElementsAre(0, 1));
}

TEST_F(WhoWaitsTest, AReceiverWhoseMessageWasSentIsNotStuck) {
  ranks[1]->send({5, 6}, 0, 7, 8);
  receives(0, 10, 1, 7);
  receives(1, 10, 0, 7);
  EXPECT_THAT(deadlock().ranks, IsEmpty());
}

TEST_F(WhoWaitsTest, AReceiverWhoseMessageHasAnotherTagIsStuck) {
  ranks[1]->send({5, 6}, 0, 8, 8);
  receives(0, 10, 1, 7);
  receives(1, 10, 0, 7);
  EXPECT_THAT(deadlock().ranks, ElementsAre(0, 1));
}

TEST_F(WhoWaitsTest, AWildcardReceiveGetsTheSentMessage) {
  ranks[1]->send({5, 6}, 0, 8, 8);
  receives(0, 10, kAnySource, kAnyTag);
  receives(1, 10, 0, 7);
  EXPECT_THAT(deadlock().ranks, IsEmpty());
}

TEST_F(WhoWaitsTest, AReceivedMessageIsNotReceivedAgain) {
  ranks[1]->send({2, 3}, 0, 7, 8);
  ranks[0]->receive({2, 4}, 1, 7, 8);
  receives(0, 10, 1, 7);
  receives(1, 10, 0, 7);
  EXPECT_THAT(deadlock().ranks, ElementsAre(0, 1));
}

TEST_F(WhoWaitsTest, AMessageReceivedByAWaitIsNotReceivedAgain) {
  ranks[1]->send({2, 3}, 0, 7, 8);
  ranks[0]->irecv({1, 2}, 1, 7, 8, kRequest);
  ranks[0]->wait({3, 4}, kRequest, {1, 7, 8});
  receives(0, 10, 1, 7);
  receives(1, 10, 0, 7);
  EXPECT_THAT(deadlock().ranks, ElementsAre(0, 1));
}

TEST_F(WhoWaitsTest, AMessageGoesToTheReceiveThatWasPostedFirst) {
  ranks[1]->send({2, 3}, 0, 7, 8);
  ranks[0]->irecv({1, 2}, 1, 7, 8, kRequest);
  receives(0, 10, 1, 7);  // the second message of this kind
  receives(1, 10, 0, 7);
  EXPECT_THAT(deadlock().ranks, ElementsAre(0, 1));
}

TEST_F(WhoWaitsTest, AMessageEndsTheWaitForItsRequest) {
  ranks[1]->send({2, 3}, 0, 7, 8);
  ranks[0]->irecv({1, 2}, 1, 7, 8, kRequest);
  waits(0, 10, kRequest);
  receives(1, 10, 0, 7);
  EXPECT_THAT(deadlock().ranks, IsEmpty());
}

TEST_F(WhoWaitsTest, AWaitWithoutAMessageIsStuck) {
  ranks[0]->irecv({1, 2}, 1, 7, 8, kRequest);
  waits(0, 10, kRequest);
  receives(1, 10, 0, 7);
  EXPECT_THAT(deadlock().ranks, ElementsAre(0, 1));
}

TEST_F(WhoWaitsTest, TwoThatSendToEachOtherAreStuck) {
  sends(0, 10, 1, 7);
  sends(1, 10, 0, 7);
  EXPECT_THAT(deadlock().ranks, ElementsAre(0, 1));
}

TEST_F(WhoWaitsTest, ASendWhoseReceiveIsPostedIsNotStuck) {
  ranks[1]->irecv({1, 2}, 0, 7, 8, kRequest);  // rank 1 will receive whatever it does meanwhile
  sends(0, 10, 1, 7);
  sends(1, 10, 0, 7);
  EXPECT_THAT(deadlock().ranks, IsEmpty());
}

TEST_F(WhoWaitsTest, APostedReceiveIsForTheMessageThatWasSentFirst) {
  ranks[0]->isend({2, 3}, 1, 7, 8, kOther);
  ranks[1]->irecv({1, 2}, 0, 7, 8, kRequest);
  sends(0, 10, 1, 7);
  sends(1, 10, 0, 7);
  EXPECT_THAT(deadlock().ranks, ElementsAre(0, 1));
}

TEST_F(WhoWaitsTest, ACompletedReceiveIsPostedNoMore) {
  ranks[0]->send({2, 3}, 1, 7, 8);
  ranks[1]->irecv({1, 2}, 0, 7, 8, kRequest);
  ranks[1]->wait({4, 5}, kRequest, {0, 7, 8});
  sends(0, 10, 1, 7);
  sends(1, 10, 0, 7);
  EXPECT_THAT(deadlock().ranks, ElementsAre(0, 1));
}

TEST_F(WhoWaitsTest, AWaitForASendWhoseReceiveIsPostedIsNotStuck) {
  ranks[0]->isend({2, 3}, 1, 7, 8, kOther);
  ranks[1]->irecv({1, 2}, 0, 7, 8, kRequest);
  waits(0, 10, kOther);
  sends(1, 10, 0, 7);
  EXPECT_THAT(deadlock().ranks, IsEmpty());
}

TEST_F(WhoWaitsTest, APersistentReceiveIsPostedFromItsStartOn) {
  ranks[1]->irecv({1, 2}, 0, 7, 8, kRequest, kWorld, CallId::Recv_init);
  sends(0, 10, 1, 7);
  sends(1, 10, 0, 7);
  EXPECT_THAT(deadlock().ranks, ElementsAre(0, 1));
}

TEST_F(WhoWaitsTest, AStartedPersistentReceiveIsPosted) {
  ranks[1]->irecv({1, 2}, 0, 7, 8, kRequest, kWorld, CallId::Recv_init);
  ranks[1]->start({3, 4}, kRequest);
  sends(0, 10, 1, 7);
  sends(1, 10, 0, 7);
  EXPECT_THAT(deadlock().ranks, IsEmpty());
}

TEST_F(WhoWaitsOfThreeTest, ARankThatHasPassedACollectiveIsNotMissing) {
  has_passed(1, 5, CallId::Barrier);
  receives(1, 20, 0, 7);  // rank 0 will send, as soon as it has left the barrier
  has_passed(2, 5, CallId::Barrier);
  receives(2, 20, 0, 7);
  is_in(0, 5, CallId::Barrier);
  EXPECT_THAT(deadlock().ranks, IsEmpty());
}

TEST_F(WhoWaitsOfThreeTest, ARankThatHasPassedOneLessIsMissing) {
  has_passed(0, 5, CallId::Barrier);
  has_passed(1, 5, CallId::Barrier);
  has_passed(2, 5, CallId::Barrier);
  is_in(0, 10, CallId::Barrier);
  is_in(1, 10, CallId::Barrier);
  receives(2, 20, 0, 7);
  EXPECT_THAT(deadlock().ranks, ElementsAre(0, 1, 2));
}

TEST_F(WhoWaitsTest, TwoCollectivesAtOnceAreStuck) {
  is_in(0, 10, CallId::Barrier);
  is_in(1, 10, CallId::Allreduce);
  EXPECT_THAT(deadlock().ranks, ElementsAre(0, 1));
}

TEST_F(WhoWaitsTest, CollectivesAreCountedByCommunicator) {
  for (SyntheticRank& rank : ranks) rank.make_comm({1, 2}, kOther, kWorld, {0, 1}, CallId::Comm_dup);
  has_passed(1, 5, CallId::Barrier);  // of MPI_COMM_WORLD, which is not what rank 0 is in
  receives(1, 20, 0, 7);
  is_in(0, 10, CallId::Barrier, kOther);
  EXPECT_THAT(deadlock().ranks, ElementsAre(0, 1));
}

TEST_F(WhoWaitsTest, ARankCanActWhileOneOfItsThreadsCan) {
  receives(0, 10, 1, 7);
  receives(1, 10, 0, 7);
  ranks[1].thread(1).send({1, 2}, 0, 9, 8);  // and is outside of MPI
  EXPECT_THAT(deadlock().ranks, IsEmpty());
}

TEST_F(WhoWaitsTest, AThreadThatNeverCalledMpiIsNotExpectedToBegin) {
  receives(0, 10, 1, 7);
  receives(1, 10, 0, 7);
  ranks[1].thread(1).call(CallId::nanosleep, {1, 2});
  EXPECT_THAT(deadlock().threads, ElementsAre(Party{0, 0}, Party{1, 0}));
}

}  // namespace
}  // namespace meridian::test
