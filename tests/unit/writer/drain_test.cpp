// SPDX-License-Identifier: Apache-2.0
#include "writer/drain.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <thread>

#include "tests/support/ring_producer.hpp"
#include "tests/support/temp_dir.hpp"

namespace meridian {
namespace {

using namespace test;

// All records of one slot in a spool, pads left out.
std::vector<Words> records_in(const std::filesystem::path& path, const RingFile& ring, std::uint32_t slot) {
  std::vector<Words> records;
  auto spool = SpoolReader::open(path, ring.geometry());
  EXPECT_TRUE(spool) << spool.error().what;
  SpoolReader::Segment segment;
  while (spool->next(segment)) {
    if (segment.slot != slot) continue;
    for (std::size_t at = 0; at < segment.words.size();) {
      const std::size_t length = (segment.words[at] >> 32) & 0xffff;
      if (((segment.words[at] >> 16) & 0xff) != 1)
        records.emplace_back(segment.words.begin() + static_cast<std::ptrdiff_t>(at),
                             segment.words.begin() + static_cast<std::ptrdiff_t>(at + length));
      at += length;
    }
  }
  return records;
}

TEST(Drain, StoresNothingBeforeThereIsAnOutputDirectory) {
  const TempDir dir;
  TestRing made{dir / "a.ring", {}};
  TestProducer producer{made, 0};
  producer.put(thread_record(0, 1));
  auto ring = *RingFile::open(dir / "a.ring", RingFile::Access::drain);
  Drain drain{ring};
  ASSERT_TRUE(drain.run());
  EXPECT_EQ(drain.bytes(), 0u);
  EXPECT_FALSE(std::filesystem::exists(dir / "a.ring.spool"));
  std::filesystem::create_directory(dir / "out");
  made.set_output(dir / "out", 3);
  ASSERT_TRUE(drain.run());
  EXPECT_EQ(drain.bytes(), 32u);
  EXPECT_EQ(made.slot(0).tail.load(), 32u);
  EXPECT_EQ(records_in(dir / "out" / "rank-00003.spool", ring, 0), std::vector<Words>{thread_record(0, 1)});
}

TEST(Drain, StaysBesideTheRingWhenItHadToBeginThere) {
  const TempDir dir;
  TestRing made{dir / "a.ring", {.ring_bytes = 8192}};
  TestProducer producer{made, 0};
  std::vector<Words> stored{thread_record(0, 1)};
  while (stored.size() < 180) stored.push_back(local_record(CallId::Wtime, stored.size(), stored.size()));
  for (const Words& one : stored) producer.put(one);  // more than half of the ring
  auto ring = *RingFile::open(dir / "a.ring", RingFile::Access::drain);
  Drain drain{ring};
  ASSERT_TRUE(drain.run());
  std::filesystem::create_directory(dir / "out");
  made.set_output(dir / "out", 3);
  stored.push_back(local_record(CallId::Wtick, 1000, 1001));
  producer.put(stored.back());
  ASSERT_TRUE(drain.run());
  EXPECT_EQ(records_in(dir / "a.ring.spool", ring, 0), stored);
  EXPECT_FALSE(std::filesystem::exists(dir / "out" / "rank-00003.spool"));
}

TEST(Drain, GoesBesideTheRingWhenTheOutputDirectoryIsGone) {
  const TempDir dir;
  TestRing made{dir / "a.ring", {}};
  TestProducer producer{made, 0};
  producer.put(thread_record(0, 1));
  made.set_output("/nonexistent", 3);
  auto ring = *RingFile::open(dir / "a.ring", RingFile::Access::drain);
  Drain drain{ring};
  ASSERT_TRUE(drain.run());
  EXPECT_EQ(records_in(dir / "a.ring.spool", ring, 0).size(), 1u);
}

TEST(Drain, LeavesRecordsInTheRingThatItCannotStore) {
  const TempDir dir;
  TestRing made{dir / "a.ring", {}};
  TestProducer producer{made, 0};
  producer.put(thread_record(0, 1));
  made.set_output("/nonexistent", 3);
  put_bytes(dir / "a.ring.spool", {});  // a file with the name of the spool
  auto ring = *RingFile::open(dir / "a.ring", RingFile::Access::drain);
  Drain drain{ring};
  const Status status = drain.run();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, Errc::io);
  EXPECT_EQ(made.slot(0).tail.load(), 0u);
}

TEST(Drain, DrainsTheOtherSlotsWhenOneHasImpossiblePositions) {
  const TempDir dir;
  TestRing made{dir / "a.ring", {}};
  TestProducer broken{made, 0}, good{made, 1};
  good.put(thread_record(1, 1));
  made.slot(0).head.store(1ull << 50);
  made.set_output(dir.path(), 0);
  auto ring = *RingFile::open(dir / "a.ring", RingFile::Access::drain);
  Drain drain{ring};
  const Status status = drain.run();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, Errc::damaged);
  EXPECT_EQ(records_in(dir / "rank-00000.spool", ring, 1), std::vector<Words>{thread_record(1, 1)});
}

TEST(Drain, WakesAThreadThatWaitsForRoomAfterThePieceThatMakesSome) {
  constexpr std::uint64_t kBlock = 256 * 1024;  // one piece
  const TempDir dir;
  TestRing made{dir / "a.ring", {.slots = 1, .ring_bytes = 4 * kBlock, .block_bytes = kBlock}};
  made.set_output(dir.path(), 0);
  TestProducer producer{made, 0};
  while (producer.head() < 4 * kBlock) producer.put(thread_record(0, 1));
  auto ring = *RingFile::open(dir / "a.ring", RingFile::Access::drain);
  // The second piece cannot be stored.
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit one_piece{kBlock + kBlock / 2, before.rlim_max};
  std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &one_piece), 0);
  Drain drain{ring};
  const Status status = drain.run();
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, SIG_DFL);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, Errc::io);
  EXPECT_EQ(made.slot(0).tail.load(), kBlock);
  EXPECT_EQ(made.header().served.load(), 1u);
  ASSERT_TRUE(drain.run());
  EXPECT_EQ(made.header().served.load(), 1u) << "nobody waits any more";
}

TEST(Drain, StopsWhenTheSpoolHasAsMuchAsItMayAndGoesOnLater) {
  constexpr std::uint64_t kBlock = 256 * 1024;  // one piece
  const TempDir dir;
  TestRing made{dir / "a.ring", {.slots = 1, .ring_bytes = 4 * kBlock, .block_bytes = kBlock}};
  made.set_output(dir.path(), 0);
  TestProducer producer{made, 0};
  while (producer.head() < 4 * kBlock) producer.put(thread_record(0, 1));
  auto ring = *RingFile::open(dir / "a.ring", RingFile::Access::drain);
  Drain drain{ring};
  ASSERT_TRUE(drain.run(2 * kBlock));
  EXPECT_EQ(made.slot(0).tail.load(), 2 * kBlock);
  ASSERT_TRUE(drain.run());
  EXPECT_EQ(made.slot(0).tail.load(), 4 * kBlock);
}

// Producers in threads, the drain in another: everything arrives, in order, through many laps of the ring.
TEST(Drain, LosesNothingWhileThreadsStoreRecords) {
  const TempDir dir;
  TestRing made{dir / "a.ring", {.slots = 2, .ring_bytes = 16384, .block_bytes = 4096}};
  made.set_output(dir.path(), 0);
  auto ring = *RingFile::open(dir / "a.ring", RingFile::Access::drain);
  std::vector<Words> stored[2];
  for (std::uint32_t slot = 0; slot < 2; ++slot) {
    stored[slot].push_back(thread_record(slot, 1));
    for (std::uint64_t i = 0; i < 20'000; ++i)
      stored[slot].push_back(i % 3 == 0 ? send_record(i, i + 1, 5) : local_record(CallId::Wtime, i, i + 1));
  }
  std::atomic<int> running{2};
  Drain drain{ring};
  std::thread drainer{[&] {
    while (running.load() > 0) {
      ASSERT_TRUE(drain.run());
      made.header().served.fetch_add(1);
    }
    ASSERT_TRUE(drain.run());
  }};
  std::vector<std::thread> producers;
  for (std::uint32_t slot = 0; slot < 2; ++slot)
    producers.emplace_back([&, slot] {
      TestProducer producer{made, slot};
      for (const Words& one : stored[slot]) producer.put(one);
      running.fetch_sub(1);
    });
  for (auto& producer : producers) producer.join();
  drainer.join();
  for (std::uint32_t slot = 0; slot < 2; ++slot)
    EXPECT_TRUE(records_in(dir / "rank-00000.spool", ring, slot) == stored[slot]) << slot;
}

}  // namespace
}  // namespace meridian
