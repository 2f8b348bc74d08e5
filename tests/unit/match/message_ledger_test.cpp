// SPDX-License-Identifier: Apache-2.0
#include "merger/match/messages/message_ledger.hpp"

#include <gtest/gtest.h>

namespace meridian {
namespace {

/// Ranks 10 and 11 are present; the channel leads from the first to the second.
class Ledger : public testing::Test {
 protected:
  Ledger() {
    at_.key = {.comm = 5, .source = 0, .dest = 1, .tag = 7};
    at_.source = 0;
    at_.dest = 1;
  }
  static SentMessage sent(std::uint64_t bytes, std::int64_t enter_ns = 100) {
    SentMessage sent;
    sent.call = {10, 0, 3};
    sent.enter_ns = enter_ns;
    sent.bytes = bytes;
    return sent;
  }
  static Receive received(std::int64_t bytes, std::int64_t leave_ns = 200) {
    Receive receive;
    receive.post = {11, 0, 4};
    receive.completion = {11, 0, 6};
    receive.post_enter_ns = 150;
    receive.leave_ns = leave_ns;
    receive.bytes = bytes;
    receive.is_complete = true;
    return receive;
  }
  std::string detail(FindingId id) const {
    for (const Finding& finding : findings_.list())
      if (finding.name == describe(id).name) return finding.detail;
    return {};
  }

  Findings findings_;
  std::vector<MatchedMessage> messages_;
  MessageLedger ledger_{{10, 11}, messages_, findings_};
  Channel at_;
};

TEST_F(Ledger, HasARowForEachPair) {
  ledger_.matched(at_, sent(8), received(8), true);
  ASSERT_EQ(messages_.size(), 1u);
  EXPECT_EQ(messages_[0].send, (EventRef{10, 0, 3}));
  EXPECT_EQ(messages_[0].post, (EventRef{11, 0, 4}));
  EXPECT_EQ(messages_[0].completion, (EventRef{11, 0, 6}));
  EXPECT_EQ(messages_[0].comm, 5u);
  EXPECT_EQ(messages_[0].tag, 7);
  EXPECT_EQ(messages_[0].bytes, 8u);
  EXPECT_EQ(messages_[0].send_enter_ns, 100);
  EXPECT_EQ(messages_[0].post_enter_ns, 150);
  EXPECT_EQ(messages_[0].receive_leave_ns, 200);
  const MessageTotals totals = ledger_.take_totals();
  EXPECT_EQ(totals.matched, 1u);
  EXPECT_EQ(totals.bytes, 8u);
  EXPECT_TRUE(findings_.list().empty());
}

TEST_F(Ledger, TakesTheSizeFromTheSideThatKnowsIt) {
  ledger_.matched(at_, sent(kUnknownBytes), received(8), true);
  ledger_.matched(at_, sent(16), received(-1), true);
  EXPECT_EQ(messages_[0].bytes, 8u);
  EXPECT_EQ(messages_[1].bytes, 16u);
  EXPECT_EQ(ledger_.take_totals().ranks[1].bytes_received, 16u);
}

TEST_F(Ledger, ReportsTwoSidesOfDifferentSizes) {
  ledger_.matched(at_, sent(8), received(4), true);
  ledger_.matched(at_, sent(8), received(12), true);
  EXPECT_EQ(findings_.count(FindingId::message_truncated), 1u);
  EXPECT_EQ(findings_.count(FindingId::message_size_mismatch), 1u);
  EXPECT_EQ(detail(FindingId::message_truncated),
            "rank 10 thread 0 call 3 sent 8 bytes, rank 11 thread 0 call 6 received 4");
}

TEST_F(Ledger, CountsAMessageThatWasReceivedNoLaterThanSent) {
  ledger_.matched(at_, sent(8, 200), received(8, 200), true);
  ledger_.matched(at_, sent(8, 199), received(8, 200), true);
  EXPECT_EQ(ledger_.reversed(), 1u);
}

TEST_F(Ledger, ReportsAnUnmatchedSendUnlessTheReceiverWasCutOff) {
  ledger_.unmatched_send(at_, sent(8));
  EXPECT_EQ(detail(FindingId::message_unmatched_send), "rank 10 thread 0 call 3 to rank 11, tag 7, communicator 5");
  ledger_.set_cut({false, true});
  ledger_.unmatched_send(at_, sent(8));
  EXPECT_EQ(findings_.count(FindingId::message_unmatched_send), 1u);
  EXPECT_EQ(findings_.count(FindingId::call_cut_off), 1u);
  EXPECT_EQ(ledger_.take_totals().unmatched_sends, 2u);
}

TEST_F(Ledger, ReportsAnUnmatchedReceiveWithWhatItWaitedFor) {
  ledger_.unmatched_receive({11, 0, 4}, 0, -1, -1);
  ledger_.unmatched_receive(at_, {11, 0, 5}, 0);
  EXPECT_EQ(detail(FindingId::message_unmatched_receive),
            "rank 11 thread 0 call 4, source any, tag any; rank 11 thread 0 call 5, source 10, tag 7");
}

TEST_F(Ledger, CountsTheTrafficOfAChannelOnce) {
  at_.messages = 3;
  at_.bytes = 24;
  ledger_.count(at_);
  ledger_.count(at_);
  ledger_.received(1, 8);
  ledger_.received(1, -1);
  ledger_.sent_to_missing(0, 99, 5);
  ledger_.sent_to_missing(0, -1, 5);
  const MessageTotals totals = ledger_.take_totals();
  EXPECT_EQ(totals.pairs.at({10, 11}).messages, 3u);
  EXPECT_EQ(totals.pairs.at({10, 99}).bytes, 5u);
  EXPECT_EQ(totals.pairs.size(), 2u);
  EXPECT_EQ(totals.ranks[0].messages_sent, 5u);
  EXPECT_EQ(totals.ranks[0].bytes_sent, 34u);
  EXPECT_EQ(totals.ranks[1].messages_received, 2u);
  EXPECT_EQ(totals.ranks[1].bytes_received, 8u);
  EXPECT_EQ(findings_.count(FindingId::message_partner_missing), 2u);
}

TEST_F(Ledger, ReportsTheRestOfAChannelByWhatIsLacking) {
  ReceiveTable receives;
  const auto post = [&](bool is_complete) {
    const ReceiveId id = receives.add();
    receives[id] = received(8);
    receives[id].is_complete = is_complete;
    at_.places.push_back({id, {}, id});
  };
  at_.sends.push_back(sent(8));
  post(false);  // its message was sent, and it never completed
  post(true);   // no message
  ledger_.unmatched_rest(at_, receives);
  EXPECT_EQ(findings_.count(FindingId::message_open_receive), 1u);
  EXPECT_EQ(findings_.count(FindingId::message_unmatched_receive), 1u);
  at_.places.pop_back();
  at_.places.pop_back();
  ledger_.unmatched_rest(at_, receives);
  EXPECT_EQ(findings_.count(FindingId::message_unmatched_send), 1u);
}

}  // namespace
}  // namespace meridian
