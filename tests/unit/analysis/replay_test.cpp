// SPDX-License-Identifier: Apache-2.0
// Replays of small runs under scenarios. Times are ns.

#include "analysis/efficiency/replay.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace meridian::test {
namespace {

using ::testing::ElementsAre;

constexpr auto kCompute = LocationState::compute;
constexpr auto kMpi = LocationState::mpi_transfer;
constexpr auto kSync = LocationState::sync_wait;
constexpr std::uint64_t kMessage = 7;

/// Nothing changed, then the network for nothing.
std::vector<Scenario> as_was_and_network() { return {Scenario{}, Scenario::network()}; }

TEST(Replay, TakesTransferOutOfALateSendersMessage) {
  Replay replay{as_was_and_network(), 2};
  replay.begin(0, 0, kNoLocation);
  replay.begin(1, 0, kNoLocation);
  replay.enter(1, 10, 45, kMpi);
  replay.receive(1, kMessage);
  replay.enter(0, 40, 44, kMpi);
  replay.send(0, kMessage, false, false);
  EXPECT_THAT(replay.at(1, 45), ElementsAre(45, 40));
  EXPECT_THAT(replay.at(0, 44), ElementsAre(44, 40));
  EXPECT_THAT(replay.at(1, 60), ElementsAre(60, 55));
}

TEST(Replay, LetsAReceiverWaitForASenderThatWasEarlyInTheRun) {
  Replay replay{{Scenario{}, Scenario::network()}, 3};
  for (const std::uint32_t location : {0U, 1U, 2U}) replay.begin(location, 0, kNoLocation);
  replay.enter(1, 0, 50, kMpi);  // the receiver loses 50 ns in the network
  replay.enter(0, 60, 61, kMpi);
  replay.send(0, kMessage, false, false);
  replay.enter(1, 70, 72, kMpi);
  replay.receive(1, kMessage);
  EXPECT_THAT(replay.at(1, 72), ElementsAre(72, 60));
}

TEST(Replay, MakesASynchronousSendWaitForItsReceive) {
  Replay replay{as_was_and_network(), 2};
  replay.begin(0, 0, kNoLocation);
  replay.begin(1, 0, kNoLocation);
  replay.enter(1, 0, 20, kMpi);
  replay.enter(1, 30, 35, kMpi);  // posts
  replay.post(1, kMessage);
  replay.enter(0, 40, 44, kMpi);
  replay.send(0, kMessage, true, true);
  replay.enter(1, 50, 55, kMpi);
  replay.receive(1, kMessage);
  EXPECT_THAT(replay.at(0, 44), ElementsAre(44, 40));
  EXPECT_THAT(replay.at(1, 55), ElementsAre(55, 40));
}

TEST(Replay, MakesABlockingSendWaitForAReceiveThatWasLateInTheRun) {
  Replay replay{as_was_and_network(), 2};
  replay.begin(0, 0, kNoLocation);
  replay.begin(1, 0, kNoLocation);
  replay.enter(0, 10, 36, kMpi);
  replay.send(0, kMessage, true, false);
  replay.enter(1, 30, 36, kMpi);
  replay.post(1, kMessage);
  replay.receive(1, kMessage);
  EXPECT_THAT(replay.at(0, 36), ElementsAre(36, 30));
  EXPECT_THAT(replay.at(0, 20), ElementsAre(20, 10));
  replay.enter(0, 40, 41, kMpi);
  replay.enter(1, 42, 43, kMpi);
  EXPECT_EQ(replay.under_way(), 0U);
}

TEST(Replay, LetsAllRanksLeaveABarrierWhenTheLastHasCome) {
  Replay replay{as_was_and_network(), 3};
  MergedPart part{.parts = 3, .shape = 0};
  for (std::uint32_t i = 0; i < 3; ++i) {
    replay.begin(i, 0, kNoLocation);
    part.comm_rank = static_cast<std::int32_t>(i);
    replay.enter(i, 10 * (i + 1), 40, kMpi);
    replay.enter_collective(i, part);
    replay.leave_collective(i, part);
  }
  for (std::uint32_t i = 0; i < 3; ++i) EXPECT_THAT(replay.at(i, 40), ElementsAre(40, 30));
  EXPECT_EQ(replay.under_way(), 1U);
  for (std::uint32_t i = 0; i < 3; ++i) replay.enter(i, 50, 51, kMpi);
  EXPECT_EQ(replay.under_way(), 0U);
}

TEST(Replay, KnowsWhomTheShapesOfCollectivesWaitFor) {
  const auto leaves = [](std::int32_t shape) {
    Replay replay{{Scenario::network()}, 3};
    MergedPart part{.root = 1, .parts = 3, .shape = shape};
    std::vector<std::int64_t> times;
    for (std::uint32_t i = 0; i < 3; ++i) {
      replay.begin(i, 0, kNoLocation);
      part.comm_rank = static_cast<std::int32_t>(2 - i);
      replay.enter(i, 10 * (i + 1), 40, kMpi);
      replay.enter_collective(i, part);
      replay.leave_collective(i, part);
    }
    for (std::uint32_t i = 0; i < 3; ++i) times.push_back(replay.at(i, 40)[0]);
    return times;
  };
  EXPECT_THAT(leaves(0), ElementsAre(30, 30, 30));
  EXPECT_THAT(leaves(1), ElementsAre(20, 20, 30));
  EXPECT_THAT(leaves(2), ElementsAre(10, 30, 30));
  EXPECT_THAT(leaves(3), ElementsAre(30, 30, 30));  // comm ranks 2, 1, 0
  EXPECT_THAT(leaves(4), ElementsAre(10, 20, 30));
}

TEST(Replay, BeginsAThreadWhereItsCreatorIs) {
  Replay replay{as_was_and_network(), 2};
  replay.begin(0, 0, kNoLocation);
  replay.enter(0, 10, 30, kMpi);
  replay.begin(1, 50, 0);
  EXPECT_THAT(replay.at(1, 60), ElementsAre(60, 40));
}

TEST(Replay, EndsAWaitForAThreadWithTheThread) {
  Replay replay{{Scenario{}, Scenario::without_waits(WaitFor::thread), Scenario::network()}, 2};
  replay.begin(0, 0, kNoLocation);
  replay.begin(1, 0, kNoLocation);
  replay.enter(1, 0, 30, kMpi);
  replay.enter(0, 10, 82, kSync);
  replay.wait({10, 80, 0, 1, {}}, WaitFor::thread);
  EXPECT_THAT(replay.at(0, 82), ElementsAre(82, 12, 50 + 2));  // thread 1 begins to compute 30 earlier
}

TEST(Replay, ComputesForNothingWhereAScenarioSaysSo) {
  Replay replay{{Scenario{}, Scenario{}}, 1};
  replay.begin(0, 0, kNoLocation);
  replay.enter(0, 10, 10, kCompute);
  replay.set_free(0, 0b10);
  replay.enter(0, 30, 30, kCompute);
  replay.set_free(0, 0);
  EXPECT_THAT(replay.at(0, 50), ElementsAre(50, 30));
}

TEST(Replay, StartsAgainUnderOneScenario) {
  Replay replay{{Scenario::network(), Scenario::network()}, 2};
  replay.begin(0, 0, kNoLocation);
  replay.begin(1, 0, kNoLocation);
  replay.enter(0, 10, 30, kMpi);
  replay.send(0, kMessage, false, false);
  replay.enter(1, 35, 60, kMpi);
  replay.receive(1, kMessage);
  replay.restart(1, 50);
  EXPECT_THAT(replay.at(0, 70), ElementsAre(50, 70));
  EXPECT_THAT(replay.at(1, 70), ElementsAre(45, 60));
}

}  // namespace
}  // namespace meridian::test
