// SPDX-License-Identifier: Apache-2.0
#include "merger/match/messages/waiting_receives.hpp"

#include <gtest/gtest.h>

namespace meridian {
namespace {

constexpr std::int32_t kAny = -1;

class Waiting : public testing::Test {
 protected:
  /// A receive of rank 0; it waits if it has to. False: it does not.
  bool post(std::int32_t source, std::int32_t tag, std::uint32_t bits = 0, std::uint32_t comm_number = 0) {
    const ReceiveId id = receives_.add();
    receives_[id].source = source;
    receives_[id].tag = tag;
    receives_[id].source_bits = bits;
    receives_[id].comm_number = comm_number;
    if (!waiting_.has_to_wait(receives_[id])) return false;
    waiting_.add(id);
    return true;
  }
  std::vector<ReceiveId> know(ReceiveId id, std::int32_t source, std::int32_t tag) {
    receives_[id].source = source;
    receives_[id].tag = tag;
    const auto released = waiting_.set_known(id);
    return {released.begin(), released.end()};
  }
  std::vector<ReceiveId> remove(ReceiveId id) {
    const auto released = waiting_.remove(id);
    return {released.begin(), released.end()};
  }
  using Ids = std::vector<ReceiveId>;

  static constexpr std::size_t kComms[1] = {2};
  ReceiveTable receives_;
  WaitingReceives waiting_{receives_, kComms};
};

TEST_F(Waiting, AReceiveWithSourceAndTagDoesNotWait) {
  EXPECT_FALSE(post(3, 7));
  EXPECT_TRUE(post(kAny, 7));
  EXPECT_TRUE(post(3, kAny));
}

TEST_F(Waiting, AReceiveWaitsBehindAWildcardThatCouldTakeItsMessage) {
  EXPECT_TRUE(post(kAny, 7));
  EXPECT_TRUE(post(3, 7));
  EXPECT_FALSE(post(3, 8));
  EXPECT_FALSE(post(3, 7, 1));     // from another group, or partitioned
  EXPECT_FALSE(post(3, 7, 0, 1));  // on another communicator
}

TEST_F(Waiting, AKnownReceiveLeavesWithThoseThatItHeldUp) {
  EXPECT_TRUE(post(kAny, 7));
  EXPECT_TRUE(post(3, 7));
  EXPECT_TRUE(post(4, 7));
  EXPECT_EQ(know(0, 4, 7), (Ids{0, 1, 2}));
}

TEST_F(Waiting, AKnownReceiveStaysBehindAnEarlierWildcard) {
  EXPECT_TRUE(post(kAny, 7));
  EXPECT_TRUE(post(kAny, 7));
  EXPECT_EQ(know(1, 4, 7), Ids{});
  EXPECT_EQ(know(0, 3, 7), (Ids{0, 1}));
}

TEST_F(Waiting, ARemovedReceiveHoldsUpNothingAnyMore) {
  EXPECT_TRUE(post(kAny, 7));
  EXPECT_TRUE(post(3, 7));
  EXPECT_EQ(remove(0), (Ids{1}));
  EXPECT_EQ(remove(0), Ids{});
  EXPECT_FALSE(post(3, 7));
}

TEST_F(Waiting, TheEndOfARankDropsWhatIsUnknownAndPlacesTheRest) {
  EXPECT_TRUE(post(kAny, 7));
  EXPECT_TRUE(post(3, 7));
  EXPECT_TRUE(post(kAny, 8, 0, 1));
  Ids dropped, placed;
  waiting_.end_rank(
      0, [&](ReceiveId id) { dropped.push_back(id); }, [&](ReceiveId id) { placed.push_back(id); });
  EXPECT_EQ(dropped, (Ids{0, 2}));
  EXPECT_EQ(placed, (Ids{1}));
}

TEST_F(Waiting, AWildcardThatMayHaveCompletedUnseenSilencesWhatItMayHaveTakenFrom) {
  EXPECT_TRUE(post(kAny, 7));
  EXPECT_TRUE(post(3, 7));
  EXPECT_TRUE(post(kAny, 8));
  waiting_.silence_behind(0);
  EXPECT_FALSE(receives_[0].is_silent);
  EXPECT_TRUE(receives_[1].is_silent);
  EXPECT_FALSE(receives_[2].is_silent);
}

}  // namespace
}  // namespace meridian
