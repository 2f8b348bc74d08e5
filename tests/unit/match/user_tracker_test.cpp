// SPDX-License-Identifier: Apache-2.0
// The user events of a rank: names, values of counters, truncated texts, messages of layers.

#include "merger/match/calls/user_tracker.hpp"

#include <gmock/gmock.h>

#include <array>
#include <bit>
#include <deque>

#include "two_ranks.hpp"

namespace meridian {
namespace {

using namespace test;
using testing::DoubleEq;

enum Definition : std::uint32_t { kRegion, kEvent, kCounter, kSend, kReceive, kDefinitions };

class UserTrackers : public TwoRanks {
 protected:
  UserTrackers() {
    definitions_.first_call = 900;
    add(UserKind::region, "solve", "");
    add(UserKind::event, "steal", "thief:i64 why:text");
    add(UserKind::counter, "residual", "value:f64");
    add(UserKind::send, "halo", "", 0);
    add(UserKind::receive, "halo", "", 0);
    counters_.resize(kDefinitions);
    for (std::uint32_t rank = 0; rank < 2; ++rank) {
      definitions_.by_id.push_back({kRegion, kEvent, kCounter, kSend, kReceive});
      LocalComm layer = resolvers_[rank].births()[0].comm;
      layer.comm = 1;
      definitions_.layers.push_back({layer});
      contexts_[rank] = context(rank);
      contexts_[rank].user = &definitions_;
    }
  }

  void add(UserKind kind, const char* name, const char* fields, std::uint32_t layer = kNoComm) {
    const auto call = static_cast<std::uint16_t>(definitions_.first_call + definitions_.list.size());
    definitions_.list.push_back({kind, "app", name, fields, call, layer});
  }

  /// Row of an event at this time with these words.
  EventRow take(std::uint32_t rank, std::uint32_t definition, std::uint64_t ticks, std::vector<std::uint64_t> words) {
    const UserUse use{.definition = definition, .words = static_cast<std::uint32_t>(words.size())};
    Call& call = make(CallId::UserEvent, Payload::user, ticks, ticks);
    call.user = &use;
    call.user_values = words.data();
    EventRow row;
    row.call = 5;
    row.enter_ns = static_cast<std::int64_t>(ticks);
    user_trackers_[rank].enter(call, row);
    return row;
  }

  /// "10>20" as messages(), of layers.
  Texts layer_messages() const {
    Texts all;
    for (const MatchedMessage& message : user_messages_)
      all.push_back(std::to_string(message.send.event) + ">" + std::to_string(message.completion.event));
    return all;
  }

  UserDefinitions definitions_;
  RankContext contexts_[2];
  RecordedSides sides_[2]{RecordedSides{contexts_[0]}, RecordedSides{contexts_[1]}};
  std::array<UserTracker, 2> user_trackers_{UserTracker{contexts_[0], sides_[0]}, UserTracker{contexts_[1], sides_[1]}};
};

TEST_F(UserTrackers, NameTheEventByItsDefinition) {
  EXPECT_EQ(take(0, kRegion, 10, {}).call, 900);
  EXPECT_EQ(take(0, kEvent, 11, {3, 0}).call, 901);
  EXPECT_EQ(findings_.count(FindingId::user_unknown), 0u);
}

TEST_F(UserTrackers, AnEventWithoutADefinitionKeepsItsCallAndIsAFinding) {
  EXPECT_EQ(take(0, kDefinitions, 10, {}).call, 5);
  definitions_.by_id[0][kEvent] = UserDefinitions::kUnknown;
  EXPECT_EQ(take(0, kEvent, 11, {3, 0}).call, 5);
  EXPECT_EQ(take(1, kEvent, 12, {3, 0}).call, 901);
  EXPECT_EQ(findings_.count(FindingId::user_unknown), 2u);
}

TEST_F(UserTrackers, AddUpTheValuesOfACounterOverAllRanks) {
  take(0, kCounter, 10, {std::bit_cast<std::uint64_t>(2.0)});
  take(1, kCounter, 30, {std::bit_cast<std::uint64_t>(-0.5)});
  take(0, kCounter, 20, {std::bit_cast<std::uint64_t>(8.0)});
  const ValueTotals& totals = counters_[kCounter];
  EXPECT_EQ(totals.count, 3u);
  EXPECT_THAT(totals.sum, DoubleEq(9.5));
  EXPECT_THAT(totals.min, DoubleEq(-0.5));
  EXPECT_THAT(totals.max, DoubleEq(8.0));
  EXPECT_THAT(totals.last, DoubleEq(-0.5)) << "the latest on the global clock";
}

TEST_F(UserTrackers, ACounterWithoutItsValueCountsNothing) {
  take(0, kCounter, 10, {});
  EXPECT_EQ(counters_[kCounter].count, 0u);
}

TEST_F(UserTrackers, CountTheTextsThatWereCut) {
  std::vector<std::uint64_t> words(2 + kMaxUserText / kWordBytes);
  words[1] = kMaxUserText;  // as long as a text may be
  take(0, kEvent, 10, words);
  EXPECT_EQ(findings_.count(FindingId::user_text_cut), 0u);
  words[1] = kMaxUserText + 1;
  take(0, kEvent, 11, words);
  EXPECT_EQ(findings_.count(FindingId::user_text_cut), 1u);
}

TEST_F(UserTrackers, AValueIsNotTakenForTheLengthOfAText) {
  take(0, kEvent, 10, {kMaxUserText + 1, 0});
  EXPECT_EQ(findings_.count(FindingId::user_text_cut), 0u);
}

TEST_F(UserTrackers, ASendAndAReceiveOfALayerBecomeAMessageOfTheLayerOnly) {
  const EventRow sent = take(0, kSend, 10, {1, 7, 64});
  const EventRow received = take(1, kReceive, 20, {0, 7, 48});
  EXPECT_EQ(sent.comm, 1u);
  EXPECT_EQ(sent.peer, 1);
  EXPECT_EQ(sent.tag, 7);
  EXPECT_EQ(sent.bytes_sent, 64u);
  EXPECT_EQ(sent.bytes_received, 0u);
  EXPECT_EQ(received.peer, 0);
  EXPECT_EQ(received.bytes_received, 48u);
  EXPECT_EQ(layer_messages(), (Texts{"10>20"}));
  EXPECT_EQ(messages(), Texts{});
}

TEST_F(UserTrackers, AMessageToARankThatIsNotThereOrWithANegativeTagIsAFinding) {
  take(0, kSend, 10, {2, 7, 64});
  take(0, kSend, 11, {1, static_cast<std::uint64_t>(-1), 64});
  take(1, kReceive, 12, {static_cast<std::uint64_t>(-1), 7, 64});
  EXPECT_EQ(findings_.count(FindingId::user_message_nobody), 3u);
  EXPECT_EQ(user_matcher_.finish().unmatched_sends, 0u);
}

TEST_F(UserTrackers, AMessageWithoutItsThreeValuesIsNone) {
  EXPECT_EQ(take(0, kSend, 10, {1, 7}).bytes_sent, 0u);
  EXPECT_EQ(user_matcher_.finish().unmatched_sends, 0u);
}

TEST_F(UserTrackers, MessagesAfterLostCallsAreNotMatched) {
  gaps_[0].lost_bounds = {100, 200};
  RecordedSides sides{contexts_[0]};
  UserTracker tracker{contexts_[0], sides};
  for (const std::uint64_t ticks : {50UL, 300UL}) {
    const std::uint64_t words[] = {1, 7, 64};
    const UserUse use{.definition = kSend, .words = 3};
    Call& call = make(CallId::UserEvent, Payload::user, ticks, ticks);
    call.user = &use;
    call.user_values = words;
    EventRow row;
    tracker.enter(call, row);
    EXPECT_EQ(row.bytes_sent, 64u);
  }
  EXPECT_EQ(findings_.count(FindingId::call_switched_off), 1u);
  user_matcher_.end_rank(0);
  user_matcher_.end_rank(1);
  EXPECT_EQ(user_matcher_.finish().unmatched_sends, 1u) << "only the send before the loss";
}

TEST_F(UserTrackers, WithoutMatchersOnlyTheRowIsDescribed) {
  contexts_[0].matchers = nullptr;
  EXPECT_EQ(take(0, kSend, 10, {1, 7, 64}).bytes_sent, 64u);
  take(0, kCounter, 11, {std::bit_cast<std::uint64_t>(2.0)});
  take(0, kDefinitions, 12, {});
  EXPECT_EQ(user_matcher_.finish().unmatched_sends, 0u);
  EXPECT_EQ(counters_[kCounter].count, 0u);
  EXPECT_EQ(findings_.count(FindingId::user_unknown), 0u);
}

}  // namespace
}  // namespace meridian
