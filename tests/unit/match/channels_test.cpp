// SPDX-License-Identifier: Apache-2.0
// Channels, and the pairing of the messages and receives in one.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "merger/match/messages/channel_pairing.hpp"
#include "merger/match/messages/channel_table.hpp"

namespace meridian {
namespace {

constexpr auto kForgetNone = [](Channel&) { FAIL() << "no channel had to go"; };

ChannelKey key_of(std::uint32_t source, std::int32_t tag) {
  return {.comm = 0, .source = source, .dest = 9, .tag = tag};
}

TEST(ChannelTable, HasOneChannelForEachKey) {
  ChannelTable table;
  EXPECT_EQ(table.find(key_of(1, 2)), ChannelTable::kNone);
  const std::uint32_t first = table.get(key_of(1, 2), 4, 5, kForgetNone);
  EXPECT_NE(table.get(key_of(1, 3), 4, 5, kForgetNone), first);
  EXPECT_EQ(table.get(key_of(1, 2), 4, 5, kForgetNone), first);
  EXPECT_EQ(table.find(key_of(1, 2)), first);
  EXPECT_EQ(table[first].source, 4u);
  EXPECT_EQ(table[first].dest, 5u);
}

TEST(ChannelTable, TellsKeysApartThatDifferInOneField) {
  ChannelTable table;
  std::set<std::uint32_t> numbers;
  const ChannelKey base = key_of(1, 2);
  for (ChannelKey key : {base, base, base, base, base, base}) {
    const std::size_t i = numbers.size();
    if (i == 1) key.comm = 7;
    if (i == 2) key.source |= ChannelKey::kFromRemote;
    if (i == 3) key.source |= ChannelKey::kPartitioned;
    if (i == 4) key.epoch = 1;
    if (i == 5) key.dest = 1;
    numbers.insert(table.get(key, 0, 0, kForgetNone));
  }
  EXPECT_EQ(numbers.size(), 6u);
}

TEST(ChannelTable, ForgetsIdleChannelsAloneWhenItWouldGrow) {
  ChannelTable table;
  constexpr std::int32_t kFull = 4096;
  for (std::int32_t tag = 0; tag < kFull; ++tag) table.get(key_of(0, tag), 0, 0, kForgetNone);
  table[table.find(key_of(0, 7))].sends.push_back({});
  std::int32_t forgotten = 0;
  table.get(key_of(0, kFull), 0, 0, [&](Channel& idle) {
    EXPECT_NE(idle.key.tag, 7);
    ++forgotten;
  });
  EXPECT_EQ(forgotten, kFull - 1);
  EXPECT_NE(table.find(key_of(0, 7)), ChannelTable::kNone);
  EXPECT_EQ(table.find(key_of(0, 8)), ChannelTable::kNone);
  std::vector<std::int32_t> left;
  table.for_each([&](const Channel& at) { left.push_back(at.key.tag); });
  std::ranges::sort(left);
  EXPECT_EQ(left, (std::vector<std::int32_t>{7, kFull}));
}

TEST(LostSides, ContainWhatWasAddedAndNothingElse) {
  LostSides lost{3};
  EXPECT_FALSE(lost.contain(1, 5));
  lost.add(1, 5);
  lost.add(1, 2);
  lost.add(1, 5);
  EXPECT_TRUE(lost.contain(1, 5));
  EXPECT_TRUE(lost.contain(1, 2));
  EXPECT_FALSE(lost.contain(1, 3));
  EXPECT_FALSE(lost.contain(0, 5));
}

TEST(CallSpan, OfAnotherThreadOverlapsWhatBeganBeforeItsEnd) {
  const CallSpan first{.thread = 0, .enter_ticks = 10, .leave_ticks = 20};
  EXPECT_TRUE(first.overlaps({1, 19, 30}));
  EXPECT_FALSE(first.overlaps({1, 20, 30}));
  EXPECT_FALSE(first.overlaps({0, 15, 30}));
}

/// One channel from rank 0 to rank 1. Messages and receives are numbered as they come.
class Pairing : public testing::Test {
 protected:
  Pairing() {
    at_.source = 0;
    at_.dest = 1;
  }

  void send(std::uint64_t bytes = 8, std::int64_t enter_ns = 10) {
    const std::uint64_t event = at_.sends.size() + taken_;
    SentMessage sent;
    sent.call = {0, 0, event};
    sent.enter_ns = enter_ns;
    sent.bytes = bytes;
    sent.number = event;
    at_.sends.push_back(sent);
  }
  ReceiveId post(bool is_complete = true, std::int64_t bytes = 8, std::int64_t leave_ns = 100) {
    const ReceiveId id = receives_.add();
    receives_[id].post = receives_[id].completion = {1, 0, posted_};
    receives_[id].bytes = bytes;
    receives_[id].leave_ns = leave_ns;
    receives_[id].is_complete = is_complete;
    at_.places.push_back({id, {}, posted_++});
    return id;
  }
  /// "0-1": message 0 went to receive 1.
  std::vector<std::string> pairs() const {
    std::vector<std::string> all;
    for (const MatchedMessage& message : messages_)
      all.push_back(std::to_string(message.send.event) + "-" + std::to_string(message.completion.event));
    return all;
  }
  using Pairs = std::vector<std::string>;

  Findings findings_;
  std::vector<MatchedMessage> messages_;
  MessageLedger ledger_{{0, 1}, messages_, findings_};
  ReceiveTable receives_;
  LostSides lost_{2};
  WaitingReceives waiting_{receives_, std::vector<std::size_t>{1, 1}};
  RaceSettler races_{receives_, waiting_};
  ChannelPairing pairing_{receives_, lost_, ledger_, races_};
  Channel at_;
  std::uint64_t taken_ = 0;
  std::uint64_t posted_ = 0;
};

TEST_F(Pairing, GivesTheFirstMessageToTheFirstPlace) {
  for (int i = 0; i < 3; ++i) {
    send();
    post();
  }
  pairing_.pair_all(at_);
  EXPECT_EQ(pairs(), (Pairs{"0-0", "1-1", "2-2"}));
  EXPECT_TRUE(at_.is_idle());
}

TEST_F(Pairing, WaitsForTheMessageAndForTheCompletion) {
  post(false);
  pairing_.pair(at_, 0);
  send();
  pairing_.pair(at_, 0);
  EXPECT_EQ(pairs(), Pairs{});
  receives_[at_.places[0].receive].is_complete = true;
  pairing_.pair(at_, 0);
  EXPECT_EQ(pairs(), (Pairs{"0-0"}));
}

TEST_F(Pairing, DoesNotLetAnOpenReceiveHoldUpTheNext) {
  send();
  send();
  const ReceiveId open = post(false);
  post();
  pairing_.pair(at_, 1);
  EXPECT_EQ(pairs(), (Pairs{"1-1"}));
  receives_[open].is_complete = true;
  pairing_.pair(at_, 0);
  EXPECT_EQ(pairs(), (Pairs{"1-1", "0-0"}));
  EXPECT_TRUE(at_.is_idle());
}

TEST_F(Pairing, HoldsUpWhatIsBehindASendThatMayBeCancelled) {
  send();
  send();
  at_.sends[0].is_uncertain = true;
  at_.uncertain = 1;
  post();
  post();
  pairing_.pair_all(at_);
  EXPECT_EQ(pairs(), Pairs{});
  at_.sends.erase(0);  // it was cancelled
  at_.uncertain = 0;
  pairing_.pair_all(at_);
  EXPECT_EQ(pairs(), (Pairs{"1-0"}));
}

TEST_F(Pairing, HoldsUpWhatIsBehindAReceiveThatMayBeCancelled) {
  send();
  const ReceiveId asked = post();
  receives_[asked].is_uncertain = true;
  at_.uncertain = 1;
  pairing_.pair(at_, 0);
  EXPECT_EQ(pairs(), Pairs{});
}

TEST_F(Pairing, EndsAReceiveWhoseSenderLostCalls) {
  post();
  pairing_.pair(at_, 0);
  EXPECT_EQ(at_.places.size(), 1u);
  lost_.add(0, at_.key.comm);
  pairing_.pair(at_, 0);
  EXPECT_EQ(at_.places.size(), 0u);
  EXPECT_EQ(findings_.count(FindingId::message_unmatched_receive), 1u);
}

TEST_F(Pairing, TakesASilentReceiveAwayWithoutARow) {
  send();
  receives_[post()].is_silent = true;
  pairing_.pair(at_, 0);
  EXPECT_EQ(pairs(), Pairs{});
  EXPECT_TRUE(at_.is_idle());
  EXPECT_EQ(ledger_.take_totals().matched, 0u);
}

TEST_F(Pairing, WithGapsLeavesOutMessagesThatCannotBeTheOneReceived) {
  findings_.expect_gaps();
  send(100);
  send(8);
  post(true, 8);
  pairing_.pair_all(at_);
  EXPECT_EQ(pairs(), (Pairs{"1-0"}));
  EXPECT_EQ(ledger_.take_totals().unmatched_sends, 1u);
}

TEST_F(Pairing, WithGapsLeavesOutAReceiveThatEndedBeforeItsMessageWasSent) {
  findings_.expect_gaps();
  send(8, 500);
  post(true, 8, 100);
  post(true, 8, 1000);
  pairing_.pair_all(at_);
  EXPECT_EQ(pairs(), (Pairs{"0-1"}));
  EXPECT_EQ(ledger_.take_totals().unmatched_receives, 1u);
}

TEST_F(Pairing, WithGapsAllowsForTheDifferenceOfTwoClocks) {
  findings_.expect_gaps();
  pairing_.set_domains(std::vector<std::uint32_t>{0, 1});
  send(8, 50'000);
  post(true, 8, 100);
  pairing_.pair_all(at_);
  EXPECT_EQ(pairs(), (Pairs{"0-0"}));
}

}  // namespace
}  // namespace meridian
