// SPDX-License-Identifier: Apache-2.0
// Matching of traces with filtered or switched-off parts: every message is matched with its own other side, or not at
// all.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "messages_fixture.hpp"

namespace meridian::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

void say(SyntheticRank& rank, const char* key, const char* value, std::uint64_t ticks = 0) {
  rank.meta.texts.push_back({key, value, 0, ticks});
}

/// Recording is off from `off` to `on`.
void switch_off(SyntheticRank& rank, std::uint64_t off, std::uint64_t on) {
  say(rank, "recording", "off", off);
  say(rank, "recording", "on", on);
}

class Gaps : public Messages {
 protected:
  std::uint64_t gaps() const { return count_of(summary, "call.switched_off"); }
  void expect_nothing_worse() const {
    for (const Finding& finding : summary.findings) EXPECT_EQ(finding.severity, Severity::info) << finding.name;
  }
};

TEST_F(Gaps, MessagesBelongTogetherWithinTheSameTimeOfRecording) {
  SyntheticRun run{2};
  run[0]->send({10, 11}, 1, 5, 8);  // received while rank 1 does not record
  switch_off(run[0], 20, 40);
  switch_off(run[1], 12, 42);
  run[0]->send({50, 51}, 1, 5, 8);
  run[1]->receive({60, 61}, 0, 5, 8);
  EXPECT_THAT(matched(run), ElementsAre(Pairing{0, 1, 1, 0}));
  EXPECT_EQ(gaps(), 1U);
  expect_nothing_worse();
}

TEST_F(Gaps, MessagesAreNotReceivedBeforeTheyAreSent) {
  SyntheticRun run{2};
  switch_off(run[0], 5, 40);  // rank 1 records all the time
  run[1]->receive({20, 21}, 0, 5, 8);
  run[0]->send({50, 51}, 1, 5, 8);
  run[1]->receive({60, 61}, 0, 5, 8);
  EXPECT_THAT(matched(run), ElementsAre(Pairing{0, 0, 1, 1}));
  EXPECT_EQ(gaps(), 1U);
  EXPECT_EQ(summary.reversed_before, 0U);
  expect_nothing_worse();
}

TEST_F(Gaps, MessagesOfTwoSizesAreNotPaired) {
  SyntheticRun run{2};
  switch_off(run[1], 5, 15);
  run[0]->send({10, 11}, 1, 5, 8);  // its receive is in the gap
  run[0]->send({20, 21}, 1, 5, 64);
  run[1]->receive({30, 31}, 0, 5, 64);
  EXPECT_THAT(matched(run), ElementsAre(Pairing{0, 1, 1, 0}));
  EXPECT_EQ(gaps(), 1U);
  expect_nothing_worse();
}

TEST_F(Gaps, ReceivesWithoutAnEarlierSendOfTheirSizeHaveTheirMessageInAGap) {
  SyntheticRun run{2};
  switch_off(run[0], 5, 15);
  run[0]->send({20, 21}, 1, 5, 64);
  run[0]->send({40, 50}, 1, 5, 8);
  run[1]->receive({30, 31}, 0, 5, 8);  // sent while rank 0 did not record
  run[1]->receive({32, 33}, 0, 5, 64);
  run[1]->receive({34, 45}, 0, 5, 8);
  EXPECT_THAT(matched(run), ElementsAre(Pairing{0, 0, 1, 1}, Pairing{0, 1, 1, 2}));
  EXPECT_EQ(gaps(), 1U);
  expect_nothing_worse();
}

TEST_F(Gaps, CollectivesBelongTogetherWithinTheSameTimeOfRecording) {
  SyntheticRun run{2};
  run[0]->collective(CallId::Barrier, {10, 11});  // rank 1 has switched off already
  switch_off(run[0], 20, 40);
  switch_off(run[1], 5, 42);
  for (const std::uint64_t t : {50u, 60u}) {
    run[0]->collective(CallId::Barrier, {t, t + 5});
    run[1]->collective(CallId::Barrier, {t + 1, t + 5});
  }
  matched(run);
  EXPECT_EQ(summary.messages.collectives, 3U);
  EXPECT_EQ(gaps(), 1U);
  EXPECT_EQ(summary.reversed_before, 0U);
  expect_nothing_worse();
}

/// Recording is switched by a window or from outside, at another call on each rank.
void switch_off_from_outside(SyntheticRank& rank, std::uint64_t off, std::uint64_t on) {
  say(rank, "recording.switched", "outside", off);
  switch_off(rank, off, on);
}

TEST_F(Gaps, CollectivesAfterASwitchFromOutsideAreThoseThatOverlap) {
  SyntheticRun run{3};
  for (std::size_t r = 0; r < 3; ++r) {
    const std::uint64_t on = 100 + 100 * r;
    switch_off_from_outside(run[r], 5, on);
    for (std::uint64_t t = 120; t < 900; t += 100)
      if (t > on) run[r]->collective(CallId::Barrier, {t + r, t + 10});
  }
  matched(run);
  EXPECT_EQ(summary.messages.collectives, 8U);
  EXPECT_EQ(gaps(), 2U) << "the first one has one rank, the second one two";
  EXPECT_EQ(summary.reversed_before, 0U);
  expect_nothing_worse();
}

TEST_F(Gaps, CollectivesThatCannotBeCountedAreNotMatched) {
  SyntheticRun run{2};
  for (std::size_t r = 0; r < 2; ++r) {
    switch_off_from_outside(run[r], 5, 100);
    run[r]->collective(CallId::Bcast, {120 + r, 130}, 8, 8, 0);
    run[r]->collective(CallId::Bcast, {140 + r, 150}, 8, 8, 0);
  }
  matched(run);
  EXPECT_EQ(gaps(), 4U) << "rank 1 may have missed any number of them";
  expect_nothing_worse();
}

TEST_F(Gaps, RankThatIsNotSwitchedOnAgainLacksTheLastCollectives) {
  constexpr std::uint64_t kMs = 1'000'000;
  SyntheticRun run{2};
  for (std::size_t r = 0; r < 2; ++r) {
    run[r]->collective(CallId::Barrier, {10 * kMs + r, 15 * kMs});
    switch_off_from_outside(run[r], 20 * kMs, 40 * kMs);
    run[r]->collective(CallId::Barrier, {50 * kMs + r, 55 * kMs});
  }
  switch_off_from_outside(run[0], 60 * kMs, 80 * kMs);
  run[0]->collective(CallId::Barrier, {90 * kMs, 95 * kMs});
  say(run[1], "recording", "off", 60 * kMs);
  matched(run);
  EXPECT_EQ(summary.messages.collectives, 3U);
  EXPECT_EQ(gaps(), 1U);
}

TEST_F(Gaps, MismatchedCollectivesAreNotOrdered) {
  SyntheticRun run{2};
  switch_off(run[1], 5, 15);  // rank 0 records all the time: its first is not in rank 1's file
  for (const std::uint64_t t : {10u, 20u}) run[0]->collective(CallId::Barrier, {t, t + 5});
  run[1]->collective(CallId::Barrier, {21, 25});
  matched(run);
  EXPECT_EQ(summary.reversed_before, 0U);
  EXPECT_EQ(gaps(), 3U);
  expect_nothing_worse();
}

TEST_F(Gaps, MessagesOfFilteredSizesAreMatchedOnNeitherSide) {
  SyntheticRun run{2};
  for (SyntheticRank& rank : run.ranks) say(rank, "option.MERIDIAN_MESSAGE", "32:");
  // Rank 0 sent 8, 64, 8 and 96 bytes, and has not recorded the short ones.
  run[0]->send({20, 21}, 1, 5, 64);
  run[0]->send({30, 31}, 1, 5, 96);
  for (std::uint64_t i = 0; i < 4; ++i) run[1]->irecv({10 + i, 11 + i}, 0, 5, 100, 0xa + i);
  run[1]->wait({40, 41}, 0xb, {0, 5, 64});  // before it is known what the first one is
  run[1]->wait({42, 43}, 0xa, {0, 5, 8});
  run[1]->wait({44, 45}, 0xd, {0, 5, 96});
  run[1]->wait({46, 47}, 0xc, {0, 5, 8});
  EXPECT_THAT(matched(run), ElementsAre(Pairing{0, 0, 1, 4}, Pairing{0, 1, 1, 6}));
  EXPECT_EQ(gaps(), 2U);
  expect_nothing_worse();
}

TEST_F(Gaps, UnmatchedMessagesOfRecordedSizesRemainErrors) {
  SyntheticRun run{2};
  for (SyntheticRank& rank : run.ranks) say(rank, "option.MERIDIAN_MESSAGE", "32:");
  run[0]->send({20, 21}, 1, 5, 64);
  EXPECT_THAT(matched(run), IsEmpty());
  EXPECT_EQ(find(summary, "message.unmatched_send")->severity, Severity::error);
}

TEST_F(Gaps, SendsOfARankThatRecordsOnlySomeOfThemAreNotMatched) {
  SyntheticRun run{2};
  say(run[0], "recording", "partial");
  run[0].meta.passed.push_back({static_cast<std::uint32_t>(CallId::Isend), 3});
  run[0]->send({20, 21}, 1, 5, 8);
  run[1]->receive({30, 31}, 0, 5, 8);
  run[1]->send({40, 41}, 0, 5, 8);
  run[0]->receive({50, 51}, 1, 5, 8);
  EXPECT_THAT(matched(run), ElementsAre(Pairing{1, 1, 0, 1}));
  EXPECT_EQ(gaps(), 2U);
  expect_nothing_worse();
}

TEST_F(Gaps, FunctionsThatWereNeverCalledLeaveNone) {
  SyntheticRun run{2};
  say(run[0], "recording", "partial");
  run[0]->send({20, 21}, 1, 5, 8);
  run[1]->receive({30, 31}, 0, 5, 8);
  EXPECT_THAT(matched(run), ElementsAre(Pairing{0, 0, 1, 0}));
  EXPECT_EQ(gaps(), 0U);
}

}  // namespace
}  // namespace meridian::test
