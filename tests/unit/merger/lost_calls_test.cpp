// SPDX-License-Identifier: Apache-2.0
// Calls that were lost because a buffer was full: messages that have become ambiguous are not matched.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "messages_fixture.hpp"
#include "trace/model/event.hpp"

namespace meridian::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::uint64_t kCopy = 77;

class LostCalls : public Messages {
 protected:
  /// `value` as in kLostKey.
  static void lose(SyntheticRank& rank, const char* value, std::uint64_t until = 0) {
    rank.meta.texts.push_back({kLostKey, value, 0, until});
  }
  std::uint64_t gaps() const { return count_of(summary, "call.switched_off"); }
  void expect_nothing_worse() const {
    for (const Finding& finding : summary.findings) EXPECT_EQ(finding.severity, Severity::info) << finding.name;
  }
};

TEST_F(LostCalls, MessagesAreMatchedBeforeTheGapOnly) {
  SyntheticRun run{2};
  lose(run[1], "25 1 messages", 35);
  for (std::uint64_t at = 10; at < 40; at += 10) run[0]->send({at, at + 1}, 1, 5, 8);
  run[1]->receive({20, 21}, 0, 5, 8);
  run[1]->receive({40, 41}, 0, 5, 8);  // the third message; the second was received in the gap
  EXPECT_THAT(matched(run), ElementsAre(Pairing{0, 0, 1, 0}));
  EXPECT_EQ(gaps(), 3U);
  expect_nothing_worse();
}

TEST_F(LostCalls, SendsAfterTheGapAreNotMatchedEither) {
  SyntheticRun run{2};
  lose(run[0], "5 1 messages", 15);
  run[0]->send({20, 21}, 1, 5, 8);
  run[1]->receive({30, 31}, 0, 5, 8);
  EXPECT_THAT(matched(run), IsEmpty());
  EXPECT_EQ(gaps(), 2U);
  expect_nothing_worse();
}

TEST_F(LostCalls, LocalCallsLeaveNoGap) {
  SyntheticRun run{2};
  lose(run[0], "5 1000 others", 15);
  run[0]->send({20, 21}, 1, 5, 8);
  run[1]->receive({30, 31}, 0, 5, 8);
  EXPECT_THAT(matched(run), ElementsAre(Pairing{0, 0, 1, 0}));
  EXPECT_THAT(summary.findings, IsEmpty());
}

TEST_F(LostCalls, ACommunicatorCreatedLaterMissesNone) {
  SyntheticRun run{2};
  lose(run[1], "5 1 messages", 15);
  for (SyntheticRank& rank : run.ranks) rank.make_comm({20, 21}, kCopy, kWorld, {0, 1});
  run[0]->send({30, 31}, 1, 5, 8, kCopy);
  run[1]->receive({40, 41}, 0, 5, {0, 5, 8}, kCopy);
  EXPECT_THAT(matched(run), ElementsAre(Pairing{0, 1, 1, 1}));
  EXPECT_EQ(gaps(), 0U);
}

TEST_F(LostCalls, ACommunicatorCreatedInTheGapMayMissSome) {
  SyntheticRun run{2};
  lose(run[1], "5 1 messages", 25);
  for (SyntheticRank& rank : run.ranks) rank.make_comm({20, 21}, kCopy, kWorld, {0, 1});
  run[0]->send({30, 31}, 1, 5, 8, kCopy);
  run[1]->receive({40, 41}, 0, 5, {0, 5, 8}, kCopy);
  EXPECT_THAT(matched(run), IsEmpty());
  EXPECT_EQ(gaps(), 2U);
}

TEST_F(LostCalls, AGapWithoutAnEndIsPermanent) {
  SyntheticRun run{2};
  lose(run[1], "15", 15);
  run[0]->send({10, 11}, 1, 5, 8);
  run[1]->receive({12, 13}, 0, 5, 8);
  for (SyntheticRank& rank : run.ranks) rank.make_comm({20, 21}, kCopy, kWorld, {0, 1});
  run[0]->send({30, 31}, 1, 5, 8, kCopy);
  run[1]->receive({40, 41}, 0, 5, {0, 5, 8}, kCopy);
  EXPECT_THAT(matched(run), ElementsAre(Pairing{0, 0, 1, 0}));
  expect_nothing_worse();
}

TEST_F(LostCalls, AHandleAfterTheGapMayBeAnotherRequest) {
  SyntheticRun run{2};
  lose(run[1], "25 2 messages", 35);  // in which request 9 was completed, and made anew
  run[0]->send({10, 11}, 1, 5, 8);
  run[1]->irecv({20, 21}, 0, 5, 8, 9);
  run[1]->wait({40, 41}, 9, {0, 5, 8});
  EXPECT_THAT(matched(run), IsEmpty());
  EXPECT_GE(gaps(), 1U);
  expect_nothing_worse();
}

TEST_F(LostCalls, AWildcardReceiveThatCompletedInTheGapMayHaveTakenTheNextMessage) {
  SyntheticRun run{2};
  lose(run[1], "45 1 messages", 55);  // in which request 8 was completed: it has the first message
  run[0]->send({10, 11}, 1, 5, 8);
  run[0]->send({12, 13}, 1, 5, 8);
  run[1]->irecv({20, 21}, kAnySource, 5, 8, 8);
  run[1]->irecv({22, 23}, 0, 5, 8, 9);
  run[1]->wait({40, 41}, 9, {0, 5, 8});
  EXPECT_THAT(matched(run), IsEmpty());
  expect_nothing_worse();
}

TEST_F(LostCalls, CollectivesAfterTheGapAreNotMatched) {
  SyntheticRun run{2};
  lose(run[1], "25 1 messages", 35);
  for (std::uint64_t at = 20; at < 60; at += 20) run[0]->collective(CallId::Barrier, {at, at + 2});
  run[1]->collective(CallId::Barrier, {20, 22});
  run[1]->collective(CallId::Barrier, {60, 62});  // the third of them
  EXPECT_THAT(matched(run), IsEmpty());
  EXPECT_EQ(summary.messages.collective_calls, 3U);  // the first with both sides, the second with one
  expect_nothing_worse();
}

}  // namespace
}  // namespace meridian::test
