// SPDX-License-Identifier: Apache-2.0
#include "trace/records/definition_decoder.hpp"

#include <gtest/gtest.h>

#include "tests/support/ring_producer.hpp"

namespace meridian {
namespace {

using namespace test;

class Definitions : public testing::Test {
 protected:
  static Record whole(const Words& words) { return {load_words<RecordHead>(words.data()), words}; }
  bool take(const Words& words) { return decoder_.take(whole(words), 6); }
  void take_birth(CallId call, std::uint64_t leave, const CommBirth& birth, int flags = 0) {
    decoder_.take_birth(whole(record(call, Payload::comm, leave - 1, leave, {}, flags, birth)), 6);
  }
  std::vector<std::string> texts() const {
    std::vector<std::string> all;
    for (const TextRow& row : meta_.texts) all.push_back(row.key + "=" + row.value);
    return all;
  }

  RankMeta meta_;
  DefinitionDecoder decoder_{meta_};
};

TEST_F(Definitions, OfMeasurementsHaveTheTimesOfTheirRecords) {
  EXPECT_TRUE(take(record(CallId::none, Payload::anchor, 20, 23, {}, 0, Anchor{2, 111, 222})));
  EXPECT_TRUE(take(record(CallId::none, Payload::exchange, 30, 39, {}, 0, Exchange{5, 0, 1000, 1001})));
  EXPECT_TRUE(take(record(CallId::none, Payload::overhead, 40, 44, {}, 0, Overhead{3, 9})));
  EXPECT_TRUE(take(record(CallId::none, Payload::usage, 50, 50, {}, 0, Usage{.thread = 6, .user_us = 7})));
  ASSERT_EQ(meta_.anchors.size(), 1u);
  EXPECT_EQ(meta_.anchors[0].after_ticks, 23u);
  EXPECT_EQ(meta_.anchors[0].monotonic_ns, 111);
  ASSERT_EQ(meta_.exchanges.size(), 1u);
  EXPECT_EQ(meta_.exchanges[0].sent_ticks, 30u);
  EXPECT_EQ(meta_.exchanges[0].received_ticks, 1000u);
  ASSERT_EQ(meta_.overheads.size(), 1u);
  EXPECT_EQ(meta_.overheads[0].thread, 6u);
  EXPECT_EQ(meta_.overheads[0].leave_ticks, 44u);
  ASSERT_EQ(meta_.usages.size(), 1u);
  EXPECT_EQ(meta_.usages[0].usage.user_us, 7u);
}

TEST_F(Definitions, OfTheLastAnchorMakeTheRankFinalized) {
  EXPECT_TRUE(take(record(CallId::none, Payload::anchor, 20, 23, {}, 0, Anchor{0, 1, 2})));
  EXPECT_FALSE(meta_.is_finalized);
  EXPECT_TRUE(take(record(CallId::none, Payload::anchor, 20, 23, {}, 0, Anchor{1, 1, 2})));
  EXPECT_TRUE(meta_.is_finalized);
}

TEST_F(Definitions, AreDamagedWithWordsLeftOver) {
  Words words = record(CallId::none, Payload::overhead, 40, 44, {}, 0, Overhead{3, 9});
  words.push_back(0);
  EXPECT_FALSE(take(words));
}

TEST_F(Definitions, AreNotCalls) { EXPECT_FALSE(take(local_record(CallId::Wtime, 1, 2))); }

TEST_F(Definitions, JoinATextThatSeveralRecordsHold) {
  EXPECT_TRUE(take(text_record(1, "command", "ab", true)));
  EXPECT_TRUE(take(text_record(2, "command", "cd", true)));
  EXPECT_TRUE(take(text_record(3, "command", "ef")));
  EXPECT_TRUE(take(text_record(4, "command", "gh")));
  EXPECT_EQ(texts(), (std::vector<std::string>{"command=abcdef", "command=gh"}));
  EXPECT_EQ(meta_.texts[0].ticks, 1u);
}

TEST_F(Definitions, DoNotJoinTextsOfTwoKeysOrTwoThreads) {
  EXPECT_TRUE(take(text_record(1, "a", "1", true)));
  EXPECT_TRUE(take(text_record(2, "b", "2", true)));
  decoder_.begin_thread();
  EXPECT_TRUE(take(text_record(3, "b", "3")));
  EXPECT_EQ(texts(), (std::vector<std::string>{"a=1", "b=2", "b=3"}));
}

TEST_F(Definitions, HaveNoTextWithoutAnEndOfItsKey) {
  Words words = record(CallId::none, Payload::text, 4, 4, {}, 0, Text{8, 0, 0}, std::uint64_t{~0ull});
  words[0] = header_word(CallId::none, Payload::text, words.size(), 0, 0);
  EXPECT_FALSE(take(words));
}

TEST_F(Definitions, HaveNoTextOfAnotherLengthThanItSays) {
  Words words = text_record(1, "key", "a value that fills more words");
  words.pop_back();
  EXPECT_FALSE(take(words));
}

TEST_F(Definitions, OfACommunicatorKnowTheCallThatMadeIt) {
  take_birth(CallId::Comm_dup, 9, {.comm = 0xd0, .parent = 0xc0});
  ASSERT_EQ(meta_.comms.size(), 1u);
  EXPECT_EQ(meta_.comms[0].call, static_cast<std::uint32_t>(CallId::Comm_dup));
  EXPECT_EQ(meta_.comms[0].thread, 6u);
  EXPECT_EQ(meta_.comms[0].enter_ticks, 8u);
  EXPECT_EQ(meta_.comms[0].leave_ticks, 9u);
}

TEST_F(Definitions, HaveNoCommunicatorOfACallThatFailedOrMadeNone) {
  take_birth(CallId::Comm_split, 9, {.comm = 0});
  take_birth(CallId::Comm_dup, 11, {.comm = 0xd0}, kFlagFailed);
  EXPECT_TRUE(meta_.comms.empty());
}

TEST_F(Definitions, OfMembersBelongToTheCommunicatorThatWasJustMade) {
  take_birth(CallId::Comm_dup, 9, {.comm = 0xd0});
  EXPECT_TRUE(take(members_record(10, 0xd0, 0, {4, 3})));
  EXPECT_TRUE(take(members_record(11, 0xd0, 2, {1, -1})));
  EXPECT_TRUE(take(members_record(12, 0xe0, 0, {7})));
  ASSERT_EQ(meta_.members.size(), 2u);
  EXPECT_EQ(meta_.members[0].born_ticks, 9u);
  EXPECT_EQ(meta_.members[0].world_ranks, (std::vector<std::int32_t>{4, 3, 1, -1}));
  EXPECT_EQ(meta_.members[1].born_ticks, 12u);
}

TEST_F(Definitions, OfMembersGoOnWhereTheListEnded) {
  EXPECT_FALSE(take(members_record(10, 0xd0, 2, {4, 3})));  // nothing begins it
  EXPECT_TRUE(take(members_record(11, 0xd0, 0, {4, 3})));
  EXPECT_FALSE(take(members_record(12, 0xd0, 3, {1})));
  EXPECT_FALSE(take(members_record(13, 0xe0, 2, {1})));
  EXPECT_FALSE(take(members_record(14, 0xd0, 2, {1}, true)));
  decoder_.begin_thread();
  EXPECT_FALSE(take(members_record(15, 0xd0, 2, {1})));
  EXPECT_EQ(meta_.members[0].world_ranks, (std::vector<std::int32_t>{4, 3}));
}

TEST_F(Definitions, AreConsistentOnlyWithTheRowsThatTheyGoOnWith) {
  EXPECT_TRUE(decoder_.is_consistent());
  EXPECT_TRUE(take(text_record(1, "key", "value", true)));
  take_birth(CallId::Comm_dup, 9, {.comm = 0xd0});
  EXPECT_TRUE(take(members_record(10, 0xd0, 0, {4, 3})));
  EXPECT_TRUE(decoder_.is_consistent());
  const RankMeta whole = meta_;
  meta_.texts.clear();
  EXPECT_FALSE(decoder_.is_consistent());
  meta_ = whole;
  meta_.comms.clear();
  EXPECT_FALSE(decoder_.is_consistent());
  meta_ = whole;
  meta_.members.clear();
  EXPECT_FALSE(decoder_.is_consistent());
}

TEST(CompletedTables, AreInTheOrderOfTheirTimes) {
  RankMeta meta;
  meta.threads = {{.thread = 2}, {.thread = 0}, {.thread = 1}};
  meta.texts = {{"b", "", 0, 20}, {"a", "", 0, 10}, {"c", "", 0, 20}};
  meta.usages = {{5, {.thread = 1}}, {5, {.thread = 0}}, {4, {.thread = 9}}};
  complete_tables(meta);
  EXPECT_EQ(meta.threads[0].thread, 0u);
  EXPECT_EQ(meta.threads[2].thread, 2u);
  EXPECT_EQ(meta.texts[0].key + meta.texts[1].key + meta.texts[2].key, "abc");
  EXPECT_EQ(meta.usages[0].usage.thread, 9u);
  EXPECT_EQ(meta.usages[1].usage.thread, 0u);
}

TEST(CompletedTables, HaveTheLatestDefinitionOfEachUserEvent) {
  RankMeta meta;
  meta.texts = {{kUserDefinitionKey, "1\037io\037new\037n:i64", 4, 20},
                {"other", "", 0, 15},
                {kUserDefinitionKey, "1\037io\037old\037n:i64", 4, 10},
                {kUserDefinitionKey, "2\037\037mark\037", 3, 11}};
  complete_tables(meta);
  ASSERT_EQ(meta.user_definitions.size(), 2u);
  EXPECT_EQ(meta.user_definitions[0].id, 3u);
  EXPECT_EQ(meta.user_definitions[0].kind, UserKind::marker);
  EXPECT_EQ(meta.user_definitions[1].name, "new");
  EXPECT_EQ(meta.user_definitions[1].level, "io");
  EXPECT_EQ(meta.user_definitions[1].fields, "n:i64");
  ASSERT_EQ(meta.texts.size(), 1u);
  EXPECT_EQ(meta.texts[0].key, "other");
}

}  // namespace
}  // namespace meridian
