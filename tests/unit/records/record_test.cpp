// SPDX-License-Identifier: Apache-2.0
#include "trace/records/record.hpp"

#include <gtest/gtest.h>

#include "tests/support/ring_producer.hpp"

namespace meridian {
namespace {

using namespace test;

constexpr std::uint64_t kRoomy = 1000;  // words left in a block

Words with_length(Words words, std::size_t length) {
  words[0] = (words[0] & ~(std::uint64_t{0xffff} << 32)) | std::uint64_t{length} << 32;
  return words;
}

TEST(CutRecord, TakesTheWordsThatTheHeaderSays) {
  Words words = local_record(CallId::Wtime, 5, 8);
  words.push_back(99);
  const Cut cut = cut_record(words, kRoomy);
  EXPECT_EQ(cut.kind, Cut::Kind::record);
  EXPECT_EQ(cut.words, 3u);
  EXPECT_EQ(cut.record.words.size(), 3u);
  EXPECT_EQ(cut.record.payload(), Payload::local);
  EXPECT_EQ(cut.record.head.enter_ticks, 5u);
  EXPECT_EQ(cut.record.head.leave_ticks, 8u);
  EXPECT_EQ(cut.record.body_words(), 0u);
}

TEST(CutRecord, MayEndExactlyWithItsBlock) {
  EXPECT_EQ(cut_record(local_record(CallId::Wtime, 5, 8), 3).kind, Cut::Kind::record);
}

TEST(CutRecord, FindsDamageWhereARecordWouldLeaveItsBlock) {
  EXPECT_EQ(cut_record(local_record(CallId::Wtime, 5, 8), 2).kind, Cut::Kind::damage);
}

TEST(CutRecord, FindsDamageInALengthThatNoRecordHas) {
  for (const std::size_t length : {0u, 1u, 2u, 4u}) {
    const Cut cut = cut_record(with_length(local_record(CallId::Wtime, 5, 8), length), kRoomy);
    EXPECT_EQ(cut.kind, Cut::Kind::damage) << length;
    EXPECT_EQ(cut.words, 0u);
  }
}

TEST(CutRecord, TakesAPadOnlyIfItFillsItsBlock) {
  const Words pad{header_word(CallId::none, Payload::pad, 2, 0, 0), 0, 0};
  EXPECT_EQ(cut_record(pad, 2).kind, Cut::Kind::pad);
  EXPECT_EQ(cut_record(pad, 2).words, 2u);
  EXPECT_EQ(cut_record(pad, 1).kind, Cut::Kind::damage);
  EXPECT_EQ(cut_record(pad, 3).kind, Cut::Kind::damage);
}

Record first_of(const Words& words) { return cut_record(words, kRoomy).record; }

TEST(PartsOfACall, ComeInTheirOrder) {
  Words words = record(CallId::Recv, Payload::p2p, 1, 2, {{7, 1, 2, 3}}, kFlagSite | kFlagCounters, PointToPoint{});
  for (const std::uint64_t word : {0x400u, 10u, 11u}) words.push_back(word);
  const Words sized = with_length(words, words.size());
  const auto parts = parts_of(first_of(sized));
  ASSERT_TRUE(parts);
  EXPECT_TRUE(parts->values.empty());
  EXPECT_EQ(parts->completions.size(), words_of<Completion>);
  EXPECT_EQ(parts->completions[0], 7u);
  ASSERT_EQ(parts->site.size(), 1u);
  EXPECT_EQ(parts->site[0], 0x400u);
  ASSERT_EQ(parts->rest.size(), 2u);
  EXPECT_EQ(parts->rest[1], 11u);
}

TEST(PartsOfACall, HaveTheValuesOfAUserEventBehindItsFixedPart) {
  Words words = record(CallId::UserEvent, Payload::user, 1, 1, {}, 0, UserUse{9, 2});
  words.insert(words.end(), {21, 22});
  const Words sized = with_length(words, words.size());
  const auto parts = parts_of(first_of(sized));
  ASSERT_TRUE(parts);
  EXPECT_EQ(Words(parts->values.begin(), parts->values.end()), (Words{21, 22}));
  EXPECT_TRUE(parts->rest.empty());
}

TEST(PartsOfACall, AreMissingWhereTheRecordIsTooShortForThem) {
  const Words send = send_record(1, 2, 3);
  EXPECT_TRUE(parts_of(first_of(send)));
  EXPECT_FALSE(parts_of(first_of(with_length(send, send.size() - 1))));
  Words site = send;
  site[0] |= std::uint64_t{kFlagSite} << 24;
  EXPECT_FALSE(parts_of(first_of(site)));
  Words completion = send;
  completion[0] |= std::uint64_t{1} << 48;
  EXPECT_FALSE(parts_of(first_of(completion)));
  EXPECT_FALSE(parts_of(first_of(record(CallId::UserEvent, Payload::user, 1, 1, {}, 0, UserUse{9, 1}))));
}

TEST(PartsOfACall, AreMissingWhereNotEvenAHeadIsThere) {
  const Words words = local_record(CallId::Wtime, 1, 2);
  EXPECT_FALSE(parts_of({load_words<RecordHead>(words.data()), std::span{words}.first(1)}));
}

TEST(Record, IsHiddenByAFlagThatMeansSomethingElseInAUserEvent) {
  EXPECT_TRUE(first_of(record(CallId::Comm_dup, Payload::comm, 1, 2, {}, kFlagHidden, CommBirth{})).is_hidden());
  EXPECT_FALSE(first_of(record(CallId::UserEvent, Payload::user, 1, 1, {}, kFlagBegins, UserUse{})).is_hidden());
}

TEST(Record, OfACallHasAPayloadFromLocalToThreadOp) {
  EXPECT_FALSE(is_call(Payload::pad));
  EXPECT_TRUE(is_call(Payload::local));
  EXPECT_TRUE(is_call(Payload::thread_op));
  EXPECT_FALSE(is_call(Payload::thread));
}

}  // namespace
}  // namespace meridian
