// SPDX-License-Identifier: Apache-2.0
// The state of a decoder as bytes: a restored decoder continues as if decoding had never stopped.

#include <gtest/gtest.h>

#include "decoded.hpp"

namespace meridian {
namespace {

using namespace test;

Words joined(const std::vector<Words>& records) {
  Words all;
  for (const Words& one : records) all.insert(all.end(), one.begin(), one.end());
  return all;
}

/// A decoder of two slots whose events stay in one list.
struct Side {
  RankMeta meta;
  std::vector<std::uint64_t> enters;
  EventBatch last;
  RecordDecoder decoder{2, kBlock, meta, [this](ThreadId, const EventBatch& batch) {
                          enters.insert(enters.end(), batch.enter_ticks.begin(), batch.enter_ticks.end());
                          last = batch;
                          return Status{};
                        }};
  std::vector<std::uint8_t> saved() const {
    StateWriter state;
    decoder.save(state);
    return state.bytes();
  }
};

const std::vector<Words>& first_half() {
  static const std::vector<Words> records{
      thread_record(3, 1),
      record(CallId::none, Payload::stack, 2, 2, {}, 0, StackNode{1, 0, 0x100}),
      record(CallId::Comm_dup, Payload::comm, 3, 4, {}, 0, CommBirth{.comm = 0xd0, .parent = 0xc0}),
      members_record(5, 0xd0, 0, {1, 2}),
      text_record(6, "command", "ab", true),
      record(CallId::Waitall, Payload::requests, 7, 8, {{7, 0, 0, 0}}, 0),
      record(CallId::Waitall, Payload::requests, 9, 9, {{8, 0, 0, 0}}, kFlagMore),
  };
  return records;
}
const std::vector<Words>& second_half() {
  static const std::vector<Words> records{
      record(CallId::Waitall, Payload::requests, 10, 10, {{9, 0, 0, 0}}, 0),
      members_record(11, 0xd0, 2, {5}),
      text_record(12, "command", "cd"),
      record(CallId::none, Payload::stack, 13, 13, {}, 0, StackNode{2, 1, 0x200}),
      local_record(CallId::Wtime, 14, 15),
  };
  return records;
}

TEST(DecoderState, LetsAnotherDecoderGoOnInTheMiddleOfEverything) {
  Side before;
  ASSERT_TRUE(before.decoder.feed(1, 0, joined(first_half())));
  const auto bytes = before.saved();
  Side after;
  StateReader state{bytes};
  ASSERT_TRUE(after.decoder.restore(state));
  EXPECT_TRUE(state.is_at_end());
  EXPECT_EQ(after.decoder.position(0), 0u);
  EXPECT_EQ(after.decoder.position(1), joined(first_half()).size() * 8);
  EXPECT_EQ(after.decoder.events(), 2u);
  ASSERT_TRUE(after.decoder.feed(1, after.decoder.position(1), joined(second_half())));
  ASSERT_TRUE(after.decoder.finish());
  EXPECT_EQ(after.decoder.damaged(), 0u);
  EXPECT_EQ(after.enters, (std::vector<std::uint64_t>{3, 7, 14}));
  EXPECT_EQ(after.last.completion_count, (std::vector<std::uint32_t>{0, 3, 0}));
  ASSERT_EQ(after.meta.members.size(), 1u);
  EXPECT_EQ(after.meta.members[0].world_ranks, (std::vector<std::int32_t>{1, 2, 5}));
  EXPECT_EQ(after.meta.members[0].born_ticks, 4u);
  ASSERT_EQ(after.meta.texts.size(), 1u);
  EXPECT_EQ(after.meta.texts[0].value, "abcd");
  ASSERT_EQ(after.meta.stacks.size(), 3u);
  EXPECT_EQ(after.meta.stacks[2].parent, 1u);
  ASSERT_EQ(after.meta.threads.size(), 1u);
  EXPECT_EQ(after.meta.threads[0].events, 3u);
}

TEST(DecoderState, KeepsTextsThatWereThereBeforeBehindItsOwn) {
  Side before;
  ASSERT_TRUE(before.decoder.feed(0, 0, joined(first_half())));
  const auto bytes = before.saved();
  Side after;
  after.meta.texts.push_back({"from.the.header", "1", 0, 99});
  StateReader state{bytes};
  ASSERT_TRUE(after.decoder.restore(state));
  ASSERT_TRUE(after.decoder.feed(0, after.decoder.position(0), joined(second_half())));
  ASSERT_TRUE(after.decoder.finish());
  ASSERT_EQ(after.meta.texts.size(), 2u);
  EXPECT_EQ(after.meta.texts[0].value, "abcd");
  EXPECT_EQ(after.meta.texts[1].key, "from.the.header");
}

TEST(DecoderState, RemembersThatASlotHasStopped) {
  Side before;
  ASSERT_TRUE(before.decoder.feed(0, 0, joined({thread_record(0, 1), {0, 0, 0}})));
  ASSERT_TRUE(before.decoder.is_stopped(0));
  const auto bytes = before.saved();
  Side after;
  StateReader state{bytes};
  ASSERT_TRUE(after.decoder.restore(state));
  EXPECT_TRUE(after.decoder.is_stopped(0));
  EXPECT_EQ(after.decoder.damaged(), 1u);
}

TEST(DecoderState, ThatEndsEarlyIsRefusedAtEveryLength) {
  Side before;
  ASSERT_TRUE(before.decoder.feed(0, 0, joined(first_half())));
  ASSERT_TRUE(before.decoder.feed(1, 0, joined(first_half())));
  const auto bytes = before.saved();
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    Side after;
    StateReader state{std::span{bytes}.first(length)};
    ASSERT_FALSE(after.decoder.restore(state)) << length;
  }
}

TEST(DecoderState, OfASlotThatTheRingDoesNotHaveIsRefused) {
  Side before;
  ASSERT_TRUE(before.decoder.feed(1, 0, joined(first_half())));
  const auto bytes = before.saved();
  RankMeta meta;
  RecordDecoder one_slot{1, kBlock, meta, {}};
  StateReader state{bytes};
  EXPECT_FALSE(one_slot.restore(state));
}

}  // namespace
}  // namespace meridian
