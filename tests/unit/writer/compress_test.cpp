// SPDX-License-Identifier: Apache-2.0
// Compression during the run: the rank file is the same as without it.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <functional>

#include "compressing_rank.hpp"

namespace meridian {
namespace {

using namespace test;
namespace fs = std::filesystem;

class Compress : public CompressingRank {};

constexpr std::uint64_t kCalls = 2000;

TEST_F(Compress, GivesTheSameRankFileAsOneConversionAtTheEnd) {
  auto ring = open();
  store(ring, kCalls, 0);
  drain(ring);
  expect_all(ring, kCalls);
  const auto plain = bytes_of(out / "rank-00005.h5");
  for (const std::uint64_t between : {1999u, 700u, 150u}) {
    forget();
    store(ring, kCalls, between);
    EXPECT_EQ(made.header().compressions.load(), kCalls / between);
    expect_all(ring, kCalls);
    EXPECT_EQ(bytes_of(out / "rank-00005.h5") == plain, true) << between;  // no column has a complete chunk yet
  }
}

TEST_F(Compress, GivesTheSameRowsAcrossWholeChunks) {
  constexpr std::uint64_t kMany = 40'000, kBetween = 10'000;
  auto ring = open();
  {
    Drain steady{ring};
    TestProducer a{made, 0}, b{made, 1};
    a.put(thread_record(0, 1));
    b.put(thread_record(1, 1));
    for (std::uint64_t i = 0; i < kMany; ++i) {
      a.put(known_call(i));
      b.put(known_call(i));
      if (i % kBetween == kBetween - 1) {
        ASSERT_TRUE(steady.run());
      }
    }
  }
  expect_all(ring, kMany);
  fs::rename(out / "rank-00005.h5", dir / "plain.h5");
  forget();
  store(ring, kMany, kBetween);
  ASSERT_GT(fs::file_size(pieces().chunks), 0u);
  expect_all(ring, kMany);
  RankFile plain = *RankFile::open(dir / "plain.h5"), split = result();
  ASSERT_EQ(plain.meta().segments.size(), split.meta().segments.size());
  ASSERT_GT(plain.meta().segments.size(), 2u);
  EventBatch x, y;
  const auto same = [](const auto& one, const auto& other) {
    return one.size() == other.size() &&
           (one.empty() || std::memcmp(one.data(), other.data(), one.size() * sizeof one[0]) == 0);
  };
  for (std::size_t i = 0; i < plain.meta().segments.size(); ++i) {
    const SegmentRow &one = plain.meta().segments[i], &other = split.meta().segments[i];
    EXPECT_EQ(one.thread, other.thread);  // followed by padding
    EXPECT_EQ(std::memcmp(&one.first_ticks, &other.first_ticks, sizeof one - offsetof(SegmentRow, first_ticks)), 0);
    ASSERT_TRUE(plain.read(i, x));
    ASSERT_TRUE(split.read(i, y));
    EXPECT_TRUE(same(x.enter_ticks, y.enter_ticks) && same(x.leave_ticks, y.leave_ticks) && same(x.call, y.call) &&
                same(x.payload, y.payload) && same(x.flags, y.flags) && same(x.completion_count, y.completion_count));
    EXPECT_TRUE(same(x.p2p, y.p2p) && same(x.coll, y.coll) && same(x.completions, y.completions));
  }
}

/// Recreates the files that a writer leaves if it dies after any of its steps.
TEST_F(Compress, NeitherLosesNorRepeatsCallsWhereverTheWriterStops) {
  auto ring = open();
  TestProducer producer{made, 0};
  producer.put(thread_record(0, 1));
  std::uint64_t stored = 0;
  const auto put = [&](std::uint64_t calls) {
    for (const std::uint64_t end = stored + calls; stored < end; ++stored) producer.put(known_call(stored));
  };
  const auto expect_stored = [&](const char* what) {
    const FinishedRank finished = finish(ring);
    EXPECT_EQ(finished.events, stored) << what;
    EXPECT_EQ(finished.damaged, 0u) << what;
    RankFile file = result();
    EXPECT_EQ(count_known_calls(file, 0), stored) << what;
  };
  for (int i = 0; i < 6; ++i) {
    put(10'000);
    compress(ring);
  }
  expect_stored("six times");
  const auto chunk_bytes = fs::file_size(pieces().chunks);
  const auto checkpoint = bytes_of(pieces().checkpoint);
  const std::uint64_t tail = made.slot(0).tail.load(), checkpoints = made.header().compressions.load();
  put(10'000);  // completes the first chunks of the columns that all calls have
  // The spool holds the same pieces before the checkpoint, drained by another writer.
  const auto aside = dir / "spool";
  fs::rename(spool(), aside);
  drain(ring);
  const auto spool_bytes = bytes_of(spool());
  expect_stored("in the spool");
  fs::rename(aside, spool());
  made.slot(0).tail.store(tail);
  compress(ring);
  const auto next_checkpoint = bytes_of(pieces().checkpoint);
  ASSERT_GT(fs::file_size(pieces().chunks), chunk_bytes);
  expect_stored("compressed");
  const std::uint64_t next_checkpoints = made.header().compressions.load();
  const auto restarted = bytes_of(spool());

  put_bytes(spool(), spool_bytes);
  expect_stored("checkpoint in place, spool not restarted");
  auto half = spool_bytes;
  std::fill(half.begin(), half.begin() + 32, '\0');
  put_bytes(spool(), half);
  expect_stored("spool restarted");
  made.header().compressions.store(checkpoints);
  put_bytes(spool(), spool_bytes);
  expect_stored("checkpoint in place, ring not told");
  put_bytes(pieces().checkpoint, checkpoint);
  expect_stored("chunks appended, no checkpoint");
  auto part = pieces().checkpoint;
  part += ".part";
  put_bytes(part, {next_checkpoint.begin(), next_checkpoint.begin() + 100});
  expect_stored("checkpoint half written");
  fs::remove(part);
  put_bytes(pieces().checkpoint, next_checkpoint);
  put_bytes(spool(), restarted);
  put_bytes(next_spool(spool()), {});
  made.header().compressions.store(next_checkpoints);
  expect_stored("spool about to be replaced");
  put(100);
  expect_stored("records in the ring");
  compress(ring);
  expect_stored("and on");
}

TEST_F(Compress, LeavesTheSpoolToThoseWhoReadIt) {
  auto ring = open();
  TestProducer producer{made, 0};
  producer.put(thread_record(0, 1));
  std::uint64_t stored = 0;
  const auto put = [&](std::uint64_t calls) {
    for (const std::uint64_t end = stored + calls; stored < end; ++stored) producer.put(known_call(stored));
  };
  put(100);
  made.header().spool_bytes = 0;  // nothing is compressed yet
  Drain first{ring};
  ASSERT_TRUE(first.run());
  auto reader = SpoolReader::open(spool(), ring.geometry());
  ASSERT_TRUE(reader) << reader.error().what;
  ASSERT_TRUE(first.spool()->restart());
  put(100);
  ASSERT_TRUE(first.run());
  SpoolReader::Segment segment;
  ASSERT_TRUE(reader->next(segment));
  EXPECT_EQ(segment.position, 0u);
  EXPECT_FALSE(reader->next(segment));
  EXPECT_FALSE(reader->is_torn());
  EXPECT_FALSE(fs::exists(next_spool(spool())));
  auto now = SpoolReader::open(spool(), ring.geometry());
  ASSERT_TRUE(now) << now.error().what;
  ASSERT_TRUE(now->next(segment));
  EXPECT_GT(segment.position, 0u);
}

TEST_F(Compress, KeepsAllInTheSpoolWhenTheLogCannotGrow) {
  auto ring = open();
  std::uint64_t stored = 0;
  TestProducer producer{made, 0};
  producer.put(thread_record(0, 1));
  const auto put = [&](std::uint64_t calls) {
    for (const std::uint64_t end = stored + calls; stored < end; ++stored) producer.put(known_call(stored));
  };
  put(1000);
  compress(ring);
  const std::uint64_t checkpoints = made.header().compressions.load();
  fs::remove(pieces().checkpoint);
  fs::create_directory(pieces().checkpoint);  // the next one cannot be put there
  put(1000);
  advance(ring);
  put(1000);
  advance(ring);
  EXPECT_EQ(made.header().compressions.load(), checkpoints);
  auto reader = SpoolReader::open(spool(), ring.geometry());
  std::uint64_t words = 0;
  SpoolReader::Segment segment;
  while (reader->next(segment)) words += segment.words.size_bytes();
  EXPECT_GT(words, made.slot(0).tail.load() / 2);  // all since the checkpoint
}

TEST_F(Compress, ContinuesInsideTextsMembersAndCallsOnManyRequests) {
  const auto put_all = [&](const std::function<void()>& between) {
    TestProducer producer{made, 0};
    const auto put = [&](const Words& words) {
      producer.put(words);
      between();
    };
    put(thread_record(0, 1));
    put(text_record(2, "key", "first ", true));
    put(text_record(3, "key", "second", false));
    put(record(CallId::Comm_dup, Payload::comm, 4, 9, {}, 0, CommBirth{0xc1, 0xc0, 1, 0, 3, 0, 0, 0, 0}));
    put(members_record(5, 0xc1, 0, {4, 5, 6, 7}));
    put(members_record(6, 0xc1, 4, {8, 9}));
    put(record(CallId::Waitall, Payload::requests, 10, 20, {{1, 2, 3, 4}, {2, 2, 3, 4}}, kFlagMore));
    put(record(CallId::Waitall, Payload::requests, 20, 20, {{3, 2, 3, 4}}, 0));
    Words counted = local_record(CallId::Wtime, 30, 31);
    counted.insert(counted.end(), {100, 110});
    counted[0] = header_word(CallId::Wtime, Payload::local, counted.size(), 0, kFlagCounters);
    put(counted);
    counted[1] = 40, counted[2] = 44, counted[3] = 150, counted[4] = 170;
    put(counted);
    put(record(CallId::none, Payload::stack, 50, 50, {}, 0, StackNode{1, 0, 0x401000}));
    put(record(CallId::none, Payload::stack, 50, 50, {}, 0, StackNode{2, 1, 0x401100}));
    Words sited = local_record(CallId::Wtime, 51, 52);
    sited.push_back(kStackSite | 2);
    sited[0] = header_word(CallId::Wtime, Payload::local, sited.size(), 0, kFlagSite);
    put(sited);
    put(record(CallId::none, Payload::anchor, 60, 61, {}, 0, Anchor{0, 5, 6}));
    put(record(CallId::none, Payload::overhead, 62, 63, {}, 0, Overhead{3, 1}));
  };
  auto ring = open();
  put_all([] {});
  finish(ring);
  const auto plain = bytes_of(out / "rank-00005.h5");
  made.slot(0).head.store(0);
  put_all([&] { compress(ring); });
  EXPECT_EQ(made.header().compressions.load(), 15u);
  EXPECT_EQ(finish(ring).damaged, 0u);
  EXPECT_TRUE(bytes_of(out / "rank-00005.h5") == plain);
  EXPECT_EQ(result().meta().texts.at(0).value, "first second");
}

/// Wide values at the end, constants, columns that begin late.
TEST_F(Compress, KeepsEveryValueOfWholeChunks) {
  constexpr std::uint64_t kMany = 200'000;
  auto ring = open();
  TestProducer producer{made, 0};
  producer.put(thread_record(0, 1));
  const auto tag = [](std::uint64_t i) { return static_cast<std::int32_t>(i < 150'000 ? i % 100 : i * 1000); };
  std::uint64_t now = 10;
  for (std::uint64_t i = 0; i < kMany; ++i) {
    now += i == 190'000 ? std::uint64_t{1} << 40 : 10;
    producer.put(record(CallId::Send, Payload::p2p, now, now + i % 7, {}, 0,
                        PointToPoint{0xc0 + (i > 100'000 ? i % 3 : 0), 3, tag(i), 1, 8, 0, 0}));
    if (i % 5000 == 4999) compress(ring);
  }
  const FinishedRank finished = finish(ring);
  EXPECT_EQ(finished.events, kMany);
  RankFile file = result();
  EventBatch batch;
  std::uint64_t i = 0, expected = 10, wrong = 0;
  for (std::size_t s = 0; s < file.meta().segments.size(); ++s) {
    ASSERT_TRUE(file.read(s, batch));
    for (std::size_t e = 0; e < batch.call.size(); ++e, ++i) {
      expected += i == 190'000 ? std::uint64_t{1} << 40 : 10;
      wrong += batch.enter_ticks[e] != expected || batch.leave_ticks[e] != expected + i % 7 ||
               batch.p2p[e].tag != tag(i) || batch.p2p[e].peer != 3 ||
               batch.p2p[e].comm != 0xc0 + (i > 100'000 ? i % 3 : 0);
    }
  }
  EXPECT_EQ(i, kMany);
  EXPECT_EQ(wrong, 0u);
}

TEST_F(Compress, CanBeDecodedWithoutMakingAFile) {
  auto ring = open();
  store(ring, 40'000, 10'000);
  RankMeta meta;
  std::uint64_t calls = 0;
  const Status done = decode_rank(ring, pieces(), meta, [&](ThreadId, const EventBatch& batch) {
    calls += batch.call.size();
    return Status{};
  });
  ASSERT_TRUE(done) << done.error().what;
  EXPECT_EQ(calls, 80'000u);
  EXPECT_EQ(meta.rank, 5);
}

}  // namespace
}  // namespace meridian
