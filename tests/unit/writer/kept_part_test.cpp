// SPDX-License-Identifier: Apache-2.0
// Which records a flight recorder drops, and that the others are as in a trace.

#include "writer/kept_part.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "compressing_rank.hpp"

namespace meridian {
namespace {

using namespace test;

constexpr std::uint64_t kMebi = 1 << 20, kSecondNs = 1'000'000'000;

TEST(KeptPart, OfBytesDropsHalfOfTheSpoolWhenItHasTwiceAsMany) {
  RingFileHeader ring;
  EXPECT_FALSE(KeptPart{ring}.is_on());
  ring.keep_bytes = 64 * kMebi;
  KeptPart kept{ring};
  EXPECT_TRUE(kept.is_on());
  EXPECT_EQ(kept.surplus(128 * kMebi - 1, 0), 0u);
  EXPECT_EQ(kept.surplus(128 * kMebi, 0), 64 * kMebi);
  EXPECT_EQ(kept.surplus(200 * kMebi, 0), 136 * kMebi);
  EXPECT_EQ(kept.most_bytes(), 256 * kMebi);
}

TEST(KeptPart, OfATimeDropsWhatIsOlderWhenThatIsHalfOfTheSpool) {
  RingFileHeader ring;
  ring.keep_ns = 16 * kSecondNs;
  KeptPart kept{ring};
  std::uint64_t dropped = 0, spool = 0;
  for (std::uint64_t second = 0; second < 100; ++second) {
    spool += kMebi;
    const std::uint64_t surplus = kept.surplus(spool, second * kSecondNs);
    if (surplus == 0) continue;
    // What is dropped is at least 16 s old, and what is left goes back as far.
    EXPECT_LE(dropped + surplus, (second - 15) * kMebi) << second;
    EXPECT_GE(surplus, spool / 2);
    kept.drop(surplus);
    spool -= surplus;
    dropped += surplus;
  }
  EXPECT_GT(dropped, 60 * kMebi);
  EXPECT_GE(spool, 16 * kMebi);
}

TEST(KeptPart, OfATimeWithFewRecordsIsNotCopied) {
  RingFileHeader ring;
  ring.keep_ns = kSecondNs;
  KeptPart kept{ring};
  for (std::uint64_t second = 0; second < 1000; ++second)
    EXPECT_EQ(kept.surplus(4000 * second, second * kSecondNs), 0u);
}

class FlightRecorder : public CompressingRank {};

TEST_F(FlightRecorder, KeepsTheLastCallsAndTheSumsOfAll) {
  made.header().keep_bytes = 64 << 10;
  made.header().spool_bytes = 0;  // no limit for the spool of a trace
  RingFile ring = open();
  compressor.emplace(ring, &never);
  drained.emplace(ring);
  TestProducer producer{made, 0};
  producer.put(thread_record(0, 1));
  constexpr std::uint64_t kStored = 20'000;
  std::uint64_t most = 0;
  for (std::uint64_t i = 0; i < kStored; ++i) {
    producer.put(known_call(i));
    if (i % 100 != 99) continue;
    ASSERT_TRUE(drained->run());
    while (compressor->run(*drained->spool(), 0)) continue;
    most = std::max(most, drained->spool()->bytes());
  }
  EXPECT_LT(most, 3 * made.header().keep_bytes);
  EXPECT_GT(made.header().compressions.load(), 3u);
  EXPECT_TRUE(finish(ring).has_dropped);
  RankFile last = result();
  std::uint64_t events = 0;
  for (const SegmentRow& segment : last.meta().segments) events += segment.events;
  EXPECT_GT(events, 500u);
  EXPECT_LT(events, kStored / 2);
  EXPECT_TRUE(last.meta().profile.calls.empty());
  const auto said = std::ranges::find(last.meta().texts, kRecorderKey, &TextRow::key);
  ASSERT_NE(said, last.meta().texts.end());
  EXPECT_EQ(std::stoull(said->value) + events, kStored);
  EXPECT_EQ(said->ticks, last.meta().segments.front().first_ticks);
  auto whole = RankFile::open(out / kWholeDirectory / "rank-00005.h5");
  ASSERT_TRUE(whole) << whole.error().what;
  std::uint64_t calls = 0;
  for (const ProfileCallRow& row : whole->meta().profile.calls) calls += row.calls;
  for (const SegmentRow& segment : whole->meta().segments) calls += segment.events;
  EXPECT_EQ(calls, kStored);
}

}  // namespace
}  // namespace meridian
