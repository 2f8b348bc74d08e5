// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "decoded.hpp"
#include "tests/support/seed.hpp"

namespace meridian {
namespace {

using namespace test;

TEST(RecordDecoder, KeepsEveryPayloadWithItsCompletions) {
  const PointToPoint sent{1, 2, 3, 4, 8, 0, 0}, received{1, -1, -1, 40, 8, 0, 0};
  const Completion found{0, 5, 6, 64};
  const Collective coll{9, kNoRoot, 0, 10, 20, 0x77};
  const Rma rma{5, 1, 0, -4, 16, 0};
  const FileAccess io{6, -1, 4096, 0};
  const HandleUse handle{0xabc};
  const auto decoded = decode({{
      thread_record(4, 10),
      local_record(CallId::Comm_rank, 11, 12),
      record(CallId::Recv, Payload::p2p, 13, 14, {found}, 0, received),
      record(CallId::Sendrecv, Payload::sendrecv, 15, 16, {found}, 0, sent, received),
      record(CallId::Iallreduce, Payload::coll, 17, 18, {}, kFlagFailed, coll),
      record(CallId::Waitall, Payload::requests, 19, 20, {{0x77, 0, 0, 0}, {0x78, 1, 2, kCancelled}}, 0),
      record(CallId::Put, Payload::rma, 21, 22, {}, 0, rma),
      record(CallId::File_write, Payload::io, 23, 24, {}, 0, io),
      record(CallId::Win_fence, Payload::handle, 25, 26, {}, 0, handle),
  }});
  EXPECT_EQ(decoded.damaged, 0u);
  ASSERT_EQ(decoded.batches.size(), 1u);
  EXPECT_EQ(decoded.batches[0].thread, 4u);
  const EventBatch& batch = decoded.batches[0].events;
  EXPECT_EQ(batch.call, (std::vector{CallId::Comm_rank, CallId::Recv, CallId::Sendrecv, CallId::Iallreduce,
                                     CallId::Waitall, CallId::Put, CallId::File_write, CallId::Win_fence}));
  EXPECT_EQ(batch.enter_ticks, (std::vector<std::uint64_t>{11, 13, 15, 17, 19, 21, 23, 25}));
  EXPECT_EQ(batch.leave_ticks, (std::vector<std::uint64_t>{12, 14, 16, 18, 20, 22, 24, 26}));
  EXPECT_EQ(batch.flags, (std::vector<std::uint8_t>{0, 0, 0, kFlagFailed, 0, 0, 0, 0}));
  EXPECT_EQ(batch.completion_count, (std::vector<std::uint32_t>{0, 1, 1, 0, 2, 0, 0, 0}));
  ASSERT_EQ(batch.p2p.size(), 3u);
  EXPECT_EQ(std::memcmp(&batch.p2p[1], &sent, sizeof sent), 0);
  EXPECT_EQ(std::memcmp(&batch.p2p[2], &received, sizeof received), 0);
  ASSERT_EQ(batch.completions.size(), 4u);
  EXPECT_EQ(batch.completions[3].bytes, kCancelled);
  EXPECT_EQ(std::memcmp(&batch.coll.at(0), &coll, sizeof coll), 0);
  EXPECT_EQ(std::memcmp(&batch.rma.at(0), &rma, sizeof rma), 0);
  EXPECT_EQ(std::memcmp(&batch.io.at(0), &io, sizeof io), 0);
  EXPECT_EQ(batch.handles.at(0).handle, 0xabcu);
  ASSERT_EQ(decoded.meta.threads.size(), 1u);
  EXPECT_EQ(decoded.meta.threads[0].kernel_tid, 1004);
  EXPECT_EQ(decoded.meta.threads[0].begin_ticks, 10u);
  EXPECT_EQ(decoded.meta.threads[0].events, 8u);
}

TEST(RecordDecoder, KeepsOtherRecordsThanCallsInTheirOwnTables) {
  const auto decoded = decode({{
      thread_record(0, 10),
      record(CallId::none, Payload::anchor, 20, 23, {}, 0, Anchor{0, 111, 222}),
      record(CallId::none, Payload::exchange, 30, 39, {}, 0, Exchange{5, 2, 1000, 1001}),
      record(CallId::none, Payload::overhead, 40, 44, {}, 0, Overhead{3, 9}),
      text_record(50, "key", "value"),
  }});
  EXPECT_EQ(decoded.damaged, 0u);
  EXPECT_EQ(decoded.events, 0u);
  const RankMeta& meta = decoded.meta;
  ASSERT_EQ(meta.anchors.size(), 1u);
  EXPECT_EQ(meta.anchors[0].before_ticks, 20u);
  EXPECT_EQ(meta.anchors[0].after_ticks, 23u);
  EXPECT_EQ(meta.anchors[0].realtime_ns, 222);
  EXPECT_FALSE(meta.is_finalized);
  ASSERT_EQ(meta.exchanges.size(), 1u);
  EXPECT_EQ(meta.exchanges[0].peer, 5);
  EXPECT_EQ(meta.exchanges[0].phase, AnchorPhase::epoch);
  EXPECT_EQ(meta.exchanges[0].sent_ticks, 30u);
  EXPECT_EQ(meta.exchanges[0].replied_ticks, 1001u);
  EXPECT_EQ(meta.exchanges[0].returned_ticks, 39u);
  ASSERT_EQ(meta.overheads.size(), 1u);
  EXPECT_EQ(meta.overheads[0].kind, OverheadKind::flush_wait);
  EXPECT_EQ(meta.overheads[0].count, 9u);
  ASSERT_EQ(meta.texts.size(), 1u);
  EXPECT_EQ(meta.texts[0].value, "value");
}

TEST(RecordDecoder, TakesTheLastAnchorAsProofOfFinalize) {
  const auto decoded =
      decode({{thread_record(0, 1), record(CallId::none, Payload::anchor, 20, 23, {}, 0, Anchor{1, 1, 2})}});
  EXPECT_TRUE(decoded.meta.is_finalized);
}

TEST(RecordDecoder, MakesOneEventOfACallWithMoreCompletionsThanARecordHolds) {
  std::vector<Completion> many;
  for (std::uint64_t i = 0; i < 2000; ++i) many.push_back({1000 + i, static_cast<std::int32_t>(i), 0, 8});
  const std::vector<Completion> a(many.begin(), many.begin() + 1000), b(many.begin() + 1000, many.begin() + 1600);
  std::vector<Completion> c(many.begin() + 1600, many.end());
  c.push_back({});  // the hole that a null request leaves
  const std::vector<std::vector<Words>> slots{{
      thread_record(0, 1),
      record(CallId::Waitall, Payload::requests, 10, 20, a, 0),
      record(CallId::Waitall, Payload::requests, 21, 21, b, kFlagMore),
      record(CallId::Waitall, Payload::requests, 22, 22, c, kFlagMore),
      record(CallId::Waitall, Payload::requests, 30, 40, {{7, 0, 0, 0}}, 0),
  }};
  for (const std::size_t piece : {std::size_t{1}, SIZE_MAX}) {  // also when it is drained in between
    const auto decoded = decode(slots, piece);
    EXPECT_EQ(decoded.damaged, 0u);
    const EventBatch& batch = decoded.batches.at(0).events;
    EXPECT_EQ(batch.enter_ticks, (std::vector<std::uint64_t>{10, 30}));
    EXPECT_EQ(batch.leave_ticks, (std::vector<std::uint64_t>{20, 40}));
    EXPECT_EQ(batch.flags, (std::vector<std::uint8_t>{0, 0}));
    EXPECT_EQ(batch.completion_count, (std::vector<std::uint32_t>{2000, 1}));
    for (std::size_t i = 0; i < 2000; ++i) ASSERT_EQ(batch.completions[i].request, 1000 + i);
  }
}

TEST(RecordDecoder, JoinsTextsAndMembersThatTakeSeveralRecords) {
  const auto decoded = decode({{
      thread_record(0, 1),
      record(CallId::Comm_dup, Payload::comm, 5, 9, {}, 0, CommBirth{0xd0, 0xc0, 1, 0, 5, 0, 0, 0, 0x9e}),
      members_record(10, 0xd0, 0, {4, 3, 2}),
      members_record(11, 0xd0, 3, {1, -1}),
      members_record(12, 0xd0, 0, {9}, true),
      text_record(20, "command", std::string(100, 'a'), true),
      text_record(21, "command", "bcd", false),
      text_record(22, "command", "another", false),
  }});
  EXPECT_EQ(decoded.damaged, 0u);
  EXPECT_EQ(decoded.events, 1u);
  ASSERT_EQ(decoded.meta.comms.size(), 1u);
  EXPECT_EQ(decoded.meta.comms[0].birth.parent, 0xc0u);
  EXPECT_EQ(decoded.meta.comms[0].birth.request, 0x9eu);
  EXPECT_EQ(decoded.meta.comms[0].leave_ticks, 9u);
  ASSERT_EQ(decoded.meta.members.size(), 2u);
  EXPECT_EQ(decoded.meta.members[0].world_ranks, (std::vector<std::int32_t>{4, 3, 2, 1, -1}));
  EXPECT_EQ(decoded.meta.members[0].born_ticks, 9u);
  EXPECT_TRUE(decoded.meta.members[1].remote);
  ASSERT_EQ(decoded.meta.texts.size(), 2u);
  EXPECT_EQ(decoded.meta.texts[0].value, std::string(100, 'a') + "bcd");
}

TEST(RecordDecoder, HasNoCommunicatorIfNoneWasCreated) {
  const CommBirth birth{0xd0, 0xc0, 1, 0, 5, 0, 0, 0, 0};
  const auto decoded = decode({{
      thread_record(0, 1),
      record(CallId::none, Payload::comm, 2, 2, {}, 0, CommBirth{0xc0, 0, 1, 0, 5, 0, 0, 0, 0}),  // MPI_COMM_WORLD
      record(CallId::Comm_split, Payload::comm, 5, 9, {}, 0, CommBirth{0, 0xc0, 0, 0, 0, 0, 0, 0, 0}),
      record(CallId::Comm_dup, Payload::comm, 10, 11, {}, kFlagFailed, birth),
  }});
  EXPECT_EQ(decoded.damaged, 0u);
  EXPECT_EQ(decoded.events, 2u);
  ASSERT_EQ(decoded.meta.comms.size(), 1u);
  EXPECT_EQ(decoded.meta.comms[0].birth.comm, 0xc0u);
  EXPECT_EQ(decoded.meta.comms[0].call, 0u);
}

TEST(RecordDecoder, DefinitionsOfASwitchedOffCallAreNotEvents) {
  const auto decoded = decode({{
      thread_record(0, 1),
      record(CallId::Comm_dup, Payload::comm, 5, 9, {}, kFlagHidden, CommBirth{0xd0, 0xc0, 1, 0, 5, 0, 0, 0, 0}),
      record(CallId::Comm_set_name, Payload::handle, 10, 11, {}, kFlagHidden, HandleUse{0xd0}),
      record(CallId::Comm_split, Payload::comm, 12, 13, {}, kFlagHidden | kFlagFailed, CommBirth{}),
      local_record(CallId::Barrier, 14, 15),
  }});
  EXPECT_EQ(decoded.damaged, 0u);
  EXPECT_EQ(decoded.events, 1u);
  EXPECT_EQ(decoded.batches.at(0).events.call, (std::vector<CallId>{CallId::Barrier}));
  ASSERT_EQ(decoded.meta.comms.size(), 1u);
  EXPECT_EQ(decoded.meta.comms[0].birth.comm, 0xd0u);
  EXPECT_EQ(decoded.meta.comms[0].call, static_cast<std::uint32_t>(CallId::Comm_dup));
}

TEST(RecordDecoder, GivesASlotsRecordsToTheThreadThatOwnsItThen) {
  const auto decoded = decode({{thread_record(0, 1), local_record(CallId::Wtime, 2, 3), thread_record(2, 4),
                                local_record(CallId::Wtick, 5, 6), local_record(CallId::Wtime, 7, 8)},
                               {thread_record(1, 1), local_record(CallId::Initialized, 2, 3)}});
  ASSERT_EQ(decoded.batches.size(), 3u);
  ASSERT_EQ(decoded.meta.threads.size(), 3u);
  for (const Batch& batch : decoded.batches) {
    const std::size_t expected = batch.thread == 2 ? 2 : 1;
    EXPECT_EQ(batch.events.call.size(), expected);
    EXPECT_EQ(decoded.meta.threads[batch.thread].events, expected);
  }
}

TEST(RecordDecoder, KeepsSitesAndCounters) {
  Words with_all = record(CallId::Send, Payload::p2p, 10, 11, {}, kFlagSite | kFlagCounters, PointToPoint{});
  for (const std::uint64_t word : {0x4001u, 100u, 200u, 105u, 206u}) with_all.push_back(word);
  with_all[0] = header_word(CallId::Send, Payload::p2p, with_all.size(), 0, kFlagSite | kFlagCounters);
  Words with_counters = record(CallId::Wtime, Payload::local, 12, 13, {}, 0);
  for (const std::uint64_t word : {112u, 206u, 119u, 198u}) with_counters.push_back(word);
  with_counters[0] = header_word(CallId::Wtime, Payload::local, with_counters.size(), 0, kFlagCounters);
  const auto decoded = decode({{thread_record(0, 1), with_all, with_counters}});
  EXPECT_EQ(decoded.damaged, 0u);
  EXPECT_EQ(decoded.meta.counters_per_event, 2u);
  EXPECT_EQ(decoded.batches[0].events.sites, std::vector<std::uint64_t>{0x4001});
  EXPECT_EQ(decoded.batches[0].events.counters, (std::vector<std::int64_t>{5, 6, 7, -8}));
  EXPECT_EQ(decoded.batches[0].events.counters_between, (std::vector<std::int64_t>{0, 0, 7, 0}));
}

TEST(RecordDecoder, CountsBetweenTheCountedCallsOfOneThreadOnly) {
  const auto counted = [](std::uint64_t enter, std::vector<std::uint64_t> values) {
    Words words = record(CallId::Wtime, Payload::local, enter, enter + 1, {}, 0);
    words.insert(words.end(), values.begin(), values.end());
    words[0] = header_word(CallId::Wtime, Payload::local, words.size(), 0, kFlagCounters);
    return words;
  };
  const Words uncounted = record(CallId::Wtime, Payload::local, 12, 13, {}, kFlagAbandoned);
  const auto decoded = decode({{thread_record(0, 1), counted(10, {50, 51}), uncounted, counted(14, {60, 62}),
                                thread_record(1, 20), counted(21, {7, 7})}});
  EXPECT_EQ(decoded.damaged, 0u);
  ASSERT_EQ(decoded.batches.size(), 2u);
  EXPECT_EQ(decoded.batches[0].events.counters, (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(decoded.batches[0].events.counters_between, (std::vector<std::int64_t>{0, 9}));
  EXPECT_EQ(decoded.batches[1].events.counters, (std::vector<std::int64_t>{0}));
  EXPECT_EQ(decoded.batches[1].events.counters_between, (std::vector<std::int64_t>{0}));
}

TEST(RecordDecoder, KeepsTheUsageOfThreadsAndProcess) {
  const Usage usage{0, 3, 100, 20, 5, 6, 7, 8, 4096, 9};
  const auto decoded = decode({{thread_record(0, 1), record(CallId::none, Payload::usage, 30, 30, {}, 0, usage)}});
  EXPECT_EQ(decoded.damaged, 0u);
  ASSERT_EQ(decoded.meta.usages.size(), 1u);
  EXPECT_EQ(decoded.meta.usages[0].ticks, 30u);
  EXPECT_EQ(std::memcmp(&decoded.meta.usages[0].usage, &usage, sizeof usage), 0);
}

TEST(RecordDecoder, KeepsOnlyTheRequestsOfAnAbandonedCall) {
  const auto decoded =
      decode({{thread_record(0, 1), record(CallId::Wait, Payload::requests, 5, 9, {{0x77, 3, 4, 5}}, kFlagAbandoned)}});
  const EventBatch& batch = decoded.batches.at(0).events;
  EXPECT_EQ(batch.flags, std::vector<std::uint8_t>{kFlagAbandoned});
  ASSERT_EQ(batch.completions.size(), 1u);
  EXPECT_EQ(batch.completions[0].request, 0x77u);
  EXPECT_EQ(batch.completions[0].bytes, kNotKnown);
}

TEST(RecordDecoder, HandsOverBatchesOfBoundedSizeInOrder) {
  std::vector<Words> records{thread_record(0, 1)};
  for (std::uint64_t i = 0; i < 40'000; ++i) records.push_back(local_record(CallId::Wtime, 10 + 2 * i, 11 + 2 * i));
  std::vector<Words> stream;
  std::uint64_t position = 0;
  for (const Words& one : records) {  // blocks with pads
    const std::uint64_t left = kBlock - position % kBlock;
    if (left < one.size() * 8) {
      Words pad(left / 8);
      pad[0] = header_word(CallId::none, Payload::pad, left / 8, 0, 0);
      stream.push_back(pad);
      position += left;
    }
    stream.push_back(one);
    position += one.size() * 8;
  }
  const auto decoded = decode({stream}, 1000);
  EXPECT_EQ(decoded.damaged, 0u);
  EXPECT_EQ(decoded.batches.size(), 3u);
  std::uint64_t next = 10;
  for (const Batch& batch : decoded.batches)
    for (const std::uint64_t enter : batch.events.enter_ticks) {
      ASSERT_EQ(enter, next);
      next += 2;
    }
  EXPECT_EQ(next, 10 + 80'000u);
}

// Damage: the words of a stream that cannot be records.
struct Damage {
  const char* name;
  Words words;
};
class DamagedStream : public testing::TestWithParam<Damage> {};
TEST_P(DamagedStream, EndsThereAndIsCounted) {
  const auto decoded = decode(
      {{thread_record(0, 1), local_record(CallId::Wtime, 2, 3), GetParam().words, local_record(CallId::Wtick, 50, 60)},
       {thread_record(1, 1), local_record(CallId::Wtime, 2, 3)}});
  EXPECT_EQ(decoded.damaged, 1u);
  EXPECT_EQ(decoded.events, 2u);  // the one before it, and the other slot's
}
Words with_header(Words words, std::uint64_t header) {
  words[0] = header;
  return words;
}
INSTANTIATE_TEST_SUITE_P(
    , DamagedStream,
    testing::Values(
        Damage{"NoLength",
               with_header(local_record(CallId::Wtime, 4, 5), header_word(CallId::Wtime, Payload::local, 0, 0, 0))},
        Damage{"TooShortALength",
               with_header(local_record(CallId::Wtime, 4, 5), header_word(CallId::Wtime, Payload::local, 2, 0, 0))},
        Damage{"LongerThanTheRest",
               with_header(local_record(CallId::Wtime, 4, 5), header_word(CallId::Wtime, Payload::local, 60000, 0, 0))},
        Damage{"NoRecord", {0, 0, 0}},
        Damage{"UnknownPayload", record(CallId::Wtime, static_cast<Payload>(99), 4, 5, {}, 0)},
        Damage{"UnknownCall", record(static_cast<CallId>(60000), Payload::local, 4, 5, {}, 0)},
        Damage{"CallWithoutNumber", local_record(CallId::none, 4, 5)},
        Damage{"BodyTooShort", with_header(send_record(4, 5, 1), header_word(CallId::Send, Payload::p2p, 5, 0, 0))},
        Damage{"TooManyCompletions",
               with_header(send_record(4, 5, 1), header_word(CallId::Send, Payload::p2p, 8, 9, 0))},
        Damage{"WordsLeftOver", with_header(send_record(4, 5, 1), header_word(CallId::Send, Payload::local, 8, 0, 0))},
        Damage{"PadThatEndsInsideTheBlock", {header_word(CallId::none, Payload::pad, 1, 0, 0)}},
        Damage{"TextWithoutKey",
               with_header(record(CallId::none, Payload::text, 4, 4, {}, 0, Text{8, 0, 0}, std::uint64_t{~0ull}),
                           header_word(CallId::none, Payload::text, 6, 0, 0))},
        Damage{"MembersThatStartInTheMiddle", members_record(4, 1, 5, {1, 2})}),
    [](const auto& one) { return one.param.name; });

TEST(RecordDecoder, IgnoresRecordsBeforeTheFirstThread) {
  const auto decoded = decode({{local_record(CallId::Wtime, 2, 3), thread_record(0, 1)}});
  EXPECT_EQ(decoded.damaged, 1u);
  EXPECT_EQ(decoded.events, 0u);
}

TEST(RecordDecoder, SkipsKnownRecordsAndStopsAtAGap) {
  RankMeta meta;
  RecordDecoder decoder{1, kBlock, meta, [](ThreadId, const EventBatch&) { return Status{}; }};
  const Words thread = thread_record(0, 1), call = local_record(CallId::Wtime, 2, 3);
  Words both = thread;
  both.insert(both.end(), call.begin(), call.end());
  EXPECT_TRUE(decoder.feed(0, 0, thread));
  EXPECT_TRUE(decoder.feed(0, 0, both));
  EXPECT_TRUE(decoder.feed(0, 0, both));
  EXPECT_EQ(decoder.events(), 1u);
  EXPECT_EQ(decoder.position(0), both.size() * 8);
  EXPECT_TRUE(decoder.feed(0, both.size() * 8 + 24, call));
  EXPECT_EQ(decoder.damaged(), 1u);
  EXPECT_TRUE(decoder.is_stopped(0));
  EXPECT_EQ(decoder.events(), 1u);
}

TEST(RecordDecoder, SurvivesRandomRecords) {
  std::mt19937_64 random{test::seeded(5)};
  for (int round = 0; round < 3000; ++round) {
    std::vector<Words> stream{thread_record(0, 1)};
    for (int i = 0; i < 20; ++i) {
      Words one = random() % 2 == 0 ? send_record(10, 11, 1, 5) : text_record(4, "k", "v");
      if (random() % 3 == 0) one[random() % one.size()] ^= 1ull << (random() % 64);
      if (random() % 9 == 0)
        one[0] = (random() & 0xff3f) | (2 + random() % 40) << 16 | one.size() << 32 | (random() % 4) << 48;
      stream.push_back(one);
    }
    const auto decoded = decode({stream});
    EXPECT_LE(decoded.damaged, 1u);
    for (const Batch& batch : decoded.batches) {
      std::uint64_t completions = 0;
      for (const std::uint32_t count : batch.events.completion_count) completions += count;
      ASSERT_EQ(completions, batch.events.completions.size());
      ASSERT_EQ(batch.events.payload.size(), batch.events.call.size());
    }
  }
}

}  // namespace
}  // namespace meridian
