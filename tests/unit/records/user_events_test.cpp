// SPDX-License-Identifier: Apache-2.0
// Records of user events: values, texts and definitions; and what is no such record.

#include <gtest/gtest.h>

#include <string>

#include "tests/support/ring_producer.hpp"
#include "trace/records/record_decoder.hpp"

namespace meridian {
namespace {

using namespace test;

struct Decoded {
  RankMeta meta;
  EventBatch events;
  std::uint64_t damaged = 0;
};

Words user_record(std::uint64_t ticks, std::uint32_t definition, const Words& values, int flags = 0) {
  Words words = record(CallId::UserEvent, Payload::user, ticks, ticks, {}, flags,
                       UserUse{definition, static_cast<std::uint32_t>(values.size())});
  words.insert(words.end(), values.begin(), values.end());
  words[0] = header_word(CallId::UserEvent, Payload::user, words.size(), 0, flags);
  return words;
}

Words definition_record(std::uint64_t ticks, std::uint32_t id, const std::string& value) {
  Words words = text_record(ticks, kUserDefinitionKey, value);
  words[4] = id;  // Text::handle
  return words;
}

Decoded decode(const std::vector<Words>& records, const Words& under_way = {}) {
  Decoded decoded;
  RecordDecoder decoder{1, 64 * 1024, decoded.meta, [&](ThreadId, const EventBatch& batch) {
                          decoded.events = batch;
                          return Status{};
                        }};
  Words stream;
  for (const Words& one : records) stream.insert(stream.end(), one.begin(), one.end());
  EXPECT_TRUE(decoder.feed(0, 0, stream));
  if (!under_way.empty()) {
    EXPECT_TRUE(decoder.feed_unfinished(0, under_way));
  }
  decoded.damaged = decoder.damaged();
  EXPECT_TRUE(decoder.finish());
  return decoded;
}

TEST(UserEventRecords, KeepTheirValuesAndFlags) {
  const Decoded decoded =
      decode({thread_record(0, 1), user_record(5, 7, {1, 2, 3}), local_record(CallId::Barrier, 6, 8),
              user_record(9, 8, {}, kFlagBegins), user_record(10, 8, {}, kFlagEnds)});
  EXPECT_EQ(decoded.damaged, 0U);
  ASSERT_EQ(decoded.events.user.size(), 3U);
  EXPECT_EQ(decoded.events.user[0].definition, 7U);
  EXPECT_EQ(decoded.events.user[0].words, 3U);
  EXPECT_EQ(decoded.events.user_values, (std::vector<std::uint64_t>{1, 2, 3}));
  EXPECT_EQ(decoded.events.flags, (std::vector<std::uint8_t>{0, 0, kFlagBegins, kFlagEnds}));
  EXPECT_EQ(decoded.events.payload[0], Payload::user);
}

TEST(UserEventRecords, HaveDefinitionsInATableOfTheirOwn) {
  const Decoded decoded =
      decode({thread_record(0, 1), definition_record(2, 9, "3\037pool\037STEAL\037thief:i64 why:text"),
              definition_record(3, 4, "1\037region\037solve\037"), text_record(4, "cwd", "/")});
  ASSERT_EQ(decoded.meta.user_definitions.size(), 2U);
  const UserDefinitionRow& steal = decoded.meta.user_definitions[1];
  EXPECT_EQ(decoded.meta.user_definitions[0].name, "solve");
  EXPECT_EQ(steal.id, 9U);
  EXPECT_EQ(steal.kind, UserKind::event);
  EXPECT_EQ(steal.level, "pool");
  EXPECT_EQ(steal.name, "STEAL");
  EXPECT_EQ(steal.fields, "thief:i64 why:text");
  ASSERT_EQ(decoded.meta.texts.size(), 1U);
  EXPECT_EQ(decoded.meta.texts[0].key, "cwd");
}

TEST(UserEventRecords, OfAnUnknownKindAreNotDefinitions) {
  const Decoded decoded = decode({thread_record(0, 1),
                                  definition_record(2, 1,
                                                    "9\037a\037"
                                                    "b\037"),
                                  definition_record(2, 2, ""), definition_record(2, 3, "0\037")});
  EXPECT_TRUE(decoded.meta.user_definitions.empty());
}

TEST(UserEventRecords, WithTooFewWordsEndTheStream) {
  Words wrong = user_record(5, 7, {1, 2});
  wrong[3] = 7 | std::uint64_t{3} << 32;  // UserUse::words
  EXPECT_EQ(decode({thread_record(0, 1), wrong}).damaged, 1U);
  wrong[3] = 7 | std::uint64_t{0xffffffff} << 32;
  EXPECT_EQ(decode({thread_record(0, 1), wrong}).damaged, 1U);
}

TEST(UserEventRecords, ThatWereStoredWhenTheProcessDiedAreComplete) {
  const Decoded decoded = decode({thread_record(0, 1)}, user_record(5, 7, {1}));
  ASSERT_EQ(decoded.events.user.size(), 1U);
  EXPECT_EQ(decoded.events.flags[0], 0);
}

}  // namespace
}  // namespace meridian
