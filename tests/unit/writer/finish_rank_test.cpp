// SPDX-License-Identifier: Apache-2.0
#include "trace/records/finish/finish_rank.hpp"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <limits>
#include <random>

#include "known_calls.hpp"
#include "tests/support/seed.hpp"
#include "tests/support/temp_dir.hpp"
#include "trace/records/finish/places.hpp"
#include "writer/drain.hpp"

namespace {
constexpr off_t kNowhere = std::numeric_limits<off_t>::max();
off_t g_unreadable_from = kNowhere;  // where reading of files fails
}  // namespace

// In the place of the C library's. HDF5 2 compiles with _FILE_OFFSET_BITS, by which pread() becomes pread64().
extern "C" ssize_t failing_pread(int fd, void* to, size_t bytes, off_t at) __asm__("pread");
extern "C" ssize_t failing_pread64(int fd, void* to, size_t bytes, off_t at) __asm__("pread64");
extern "C" ssize_t failing_pread(int fd, void* to, size_t bytes, off_t at) {
  if (at < g_unreadable_from) return ::syscall(SYS_pread64, fd, to, bytes, at);
  errno = EIO;
  return -1;
}
extern "C" ssize_t failing_pread64(int fd, void* to, size_t bytes, off_t at) {
  return failing_pread(fd, to, bytes, at);
}

namespace meridian {
namespace {

using namespace test;

class Finish : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directory(out); }

  RingFile open() { return *RingFile::open(made.path(), RingFile::Access::drain); }
  FinishedRank finish(const RingFile& ring) {
    auto finished = finish_rank(ring, pieces_of(ring.path(), out, 5), out);
    EXPECT_TRUE(finished) << finished.error().what;
    return finished ? *std::move(finished) : FinishedRank{};
  }
  RankFile result() {
    auto file = RankFile::open(out / "rank-00005.h5");
    EXPECT_TRUE(file) << file.error().what;
    return *std::move(file);
  }

  TempDir dir;
  std::filesystem::path out = dir / "out";
  TestRing made{dir / "a.ring", {.slots = 3, .ring_bytes = 32768, .block_bytes = 4096}};
};

TEST_F(Finish, TakesThreadsAndFreeLocksFromTheirCards) {
  made.set_output(out, 5, 8);
  std::vector<ThreadCard> cards(4);
  cards[0].state = CardState::live;
  cards[0].begin_ticks = 5;
  cards[0].creator = kNoThread;
  cards[1].state = CardState::failed;
  cards[1].begin_ticks = 6;
  cards[2].state = CardState::ended;  // has no records
  cards[2].begin_ticks = 20;
  cards[2].end_ticks = 90;
  cards[2].creator = 0;
  cards[2].kernel_tid = 4712;
  cards[2].routine = 0x401000;
  std::strcpy(cards[2].name, "worker");
  cards[2].counts[7] = {0x601040u << kLockKindBits | static_cast<std::uint64_t>(LockKind::mutex), 12};
  cards[2].counts[9] = {0x601040u << kLockKindBits | 15, 12};  // no such kind
  cards[3].state = CardState::taken;                           // never began
  made.put_cards(cards);
  TestProducer producer{made, 0};
  producer.put(thread_record(0, 10));
  finish(open());
  const RankFile file = result();
  ASSERT_EQ(file.meta().threads.size(), 2u);
  EXPECT_EQ(file.meta().threads[0].begin_ticks, 5u);
  EXPECT_EQ(file.meta().threads[0].creator, -1);
  const ThreadRow& worker = file.meta().threads[1];
  EXPECT_EQ(worker.thread, 2u);
  EXPECT_EQ(worker.kernel_tid, 4712);
  EXPECT_EQ(worker.begin_ticks, 20u);
  EXPECT_EQ(worker.end_ticks, 90u);
  EXPECT_EQ(worker.creator, 0);
  EXPECT_EQ(worker.routine, 0x401000u);
  EXPECT_EQ(worker.events, 0u);
  ASSERT_EQ(file.meta().texts.size(), 1u);
  EXPECT_EQ(file.meta().texts[0].key, "thread.name");
  EXPECT_EQ(file.meta().texts[0].value, "worker");
  EXPECT_EQ(file.meta().texts[0].handle, 2u);
  ASSERT_EQ(file.meta().lock_counts.size(), 1u);
  EXPECT_EQ(file.meta().lock_counts[0].thread, 2u);
  EXPECT_EQ(file.meta().lock_counts[0].kind, LockKind::mutex);
  EXPECT_EQ(file.meta().lock_counts[0].object, 0x601040u);
  EXPECT_EQ(file.meta().lock_counts[0].count, 12u);
}

TEST_F(Finish, DoesNotTreatUnreadableCardsAndCountersAsMissing) {
  made.set_output(out, 5, 8);
  TestProducer producer{made, 0};
  producer.put(thread_record(0, 10));
  made.put_cards(std::vector<ThreadCard>(4));
  for (const bool has_passed_calls : {false, true}) {
    made.header().passed_offset = made.header().cards_offset;
    if (has_passed_calls) made.header().passed_calls.store(kCallCount);
    const RingFile ring = open();
    g_unreadable_from = static_cast<off_t>(made.header().cards_offset);
    const auto finished = finish_rank(ring, pieces_of(ring.path(), out, 5), out);
    g_unreadable_from = kNowhere;
    ASSERT_FALSE(finished);
    EXPECT_EQ(finished.error().code, Errc::io);
    EXPECT_EQ(finished.error().what, "cannot read ring file '" + made.path().string() + "': Input/output error");
    EXPECT_TRUE(std::filesystem::is_empty(out) || !std::filesystem::exists(out / "rank-00005.h5"));
  }
}

TEST_F(Finish, CountsInvalidCardsAndCountersAndKeepsTheRank) {
  made.set_output(out, 5, 8);
  TestProducer producer{made, 0};
  producer.put(thread_record(0, 10));
  made.put_cards(std::vector<ThreadCard>(4));
  made.header().cards_offset = 8;
  made.header().passed_calls.store(kCallCount - 1);
  finish(open());
  const RankFile file = result();
  EXPECT_EQ(file.meta().losses[static_cast<std::size_t>(Loss::damaged)], 2u);
  EXPECT_EQ(file.meta().threads.size(), 1u);
}

TEST_F(Finish, IgnoresCardsAtAnInvalidPosition) {
  made.set_output(out, 5, 8);
  made.put_cards(std::vector<ThreadCard>(2));
  made.header().cards_offset = ~std::uint64_t{0} - 100;
  TestProducer producer{made, 0};
  producer.put(thread_record(0, 10));
  finish(open());
  EXPECT_EQ(result().meta().threads.size(), 1u);
}

TEST_F(Finish, TakesSpoolThenRingThenTheCallUnderWay) {
  made.set_output(out, 5, 8);
  made.header().losses[0].store(4);
  TestProducer producer{made, 0};
  auto ring = open();
  Drain drain{ring};
  producer.put(thread_record(0, 1));
  std::uint64_t count = 0;
  for (; count < 3000; ++count) {
    producer.put(known_call(count));
    if (count % 50 == 0) {
      ASSERT_TRUE(drain.run());
    }
  }
  producer.put_under_way(
      record(CallId::Waitall, Payload::requests, 1'000'000, 12345, {{0x77, 9, 9, 9}, {0x78, 8, 8, 8}}, 0));
  const auto finished = finish(ring);
  EXPECT_EQ(finished.events, count + 1);
  EXPECT_EQ(finished.unfinished, 1u);
  EXPECT_EQ(finished.damaged, 0u);
  RankFile file = result();
  EXPECT_EQ(file.meta().rank, 5);
  EXPECT_EQ(file.meta().size, 8);
  EXPECT_EQ(file.meta().domain, 77u);
  EXPECT_EQ(file.meta().executable, "/bin/app");
  EXPECT_EQ(file.meta().losses[0], 4u);
  EXPECT_FALSE(file.meta().is_finalized);
  EventBatch last;
  ASSERT_TRUE(file.read(file.meta().segments.size() - 1, last));
  EXPECT_EQ(last.flags.back(), kFlagUnfinished);
  EXPECT_EQ(last.enter_ticks.back(), 1'000'000u);
  EXPECT_EQ(last.leave_ticks.back(), 1'000'000u);
  EXPECT_EQ(last.completion_count.back(), 2u);
  EXPECT_EQ(last.completions.back().request, 0x78u);
  EXPECT_EQ(last.completions.back().bytes, kNotKnown);
  EXPECT_EQ(last.completions.back().source, 0);
}

TEST_F(Finish, KeepsTheArgumentsOfAnUnfinishedSend) {
  made.set_output(out, 5);
  TestProducer producer{made, 0};
  producer.put(thread_record(0, 1));
  producer.put_under_way(send_record(50, 0, 3));
  finish(open());
  EventBatch batch;
  RankFile file = result();
  ASSERT_TRUE(file.read(0, batch));
  EXPECT_EQ(batch.payload, std::vector{Payload::p2p});
  EXPECT_EQ(batch.p2p.at(0).peer, 3);
  EXPECT_EQ(batch.flags, std::vector<std::uint8_t>{kFlagUnfinished});
}

TEST_F(Finish, KeepsTheSiteOfAnUnfinishedCall) {
  made.set_output(out, 5);
  TestProducer producer{made, 0};
  producer.put(thread_record(0, 1));
  Words wait = record(CallId::Wait, Payload::requests, 50, 0, {{0x77, 9, 9, 9}}, 0);
  wait.push_back(0x401234);
  wait[0] = header_word(CallId::Wait, Payload::requests, wait.size(), 1, kFlagSite);
  producer.put_under_way(wait);
  finish(open());
  EventBatch batch;
  RankFile file = result();
  ASSERT_TRUE(file.read(0, batch));
  EXPECT_EQ(batch.sites, std::vector<std::uint64_t>{0x401234});
  EXPECT_EQ(batch.completions.at(0).request, 0x77u);
  EXPECT_EQ(batch.flags, std::vector<std::uint8_t>{kFlagUnfinished | kFlagSite});
}

TEST_F(Finish, DoesNotTakeDataOfAnEarlierLapForACallInProgress) {
  made.set_output(out, 5);
  auto ring = open();
  Drain drain{ring};
  TestProducer producer{made, 0};
  producer.put(thread_record(0, 1));
  std::uint64_t i = 0;
  // Until the stream ends at a block boundary in a later lap, where the next block still has its old records.
  while (producer.head() < 3 * 32768 || producer.head() % 4096 != 0) {
    producer.put(local_record(CallId::Wtime, 100 + 10 * i, 103 + 10 * i));
    ++i;
    ASSERT_TRUE(drain.run());
    if (producer.head() % 4096 + 24 > 4096) {  // the pad that a program stores before it knows that there is room
      const std::uint64_t left = 4096 - producer.head() % 4096;
      *made.word(0, producer.head()) = header_word(CallId::none, Payload::pad, left / 8, 0, 0);
      made.slot(0).head.store(producer.head() + left);
    }
  }
  ASSERT_NE(*made.word(0, producer.head()), 0u);
  const auto finished = finish(ring);
  EXPECT_EQ(finished.events, i);
  EXPECT_EQ(finished.unfinished, 0u);
}

TEST_F(Finish, OfARankThatStoredNothingMakesAFileWithoutEvents) {
  made.set_output(out, 5);
  const auto finished = finish(open());
  EXPECT_EQ(finished.events, 0u);
  EXPECT_TRUE(result().meta().segments.empty());
}

TEST_F(Finish, WithoutARankIsAnError) {
  const auto finished = finish_rank(open(), {}, out);
  ASSERT_FALSE(finished);
  EXPECT_EQ(finished.error().code, Errc::invalid_argument);
  EXPECT_EQ(finished.error().what,
            "cannot make a rank file from '" + made.path().string() + "': the rank of the process is unknown");
}

TEST_F(Finish, CountsASpoolThatHasLostItsMiddle) {
  made.set_output(out, 5);
  auto ring = open();
  Drain drain{ring};
  TestProducer a{made, 0}, b{made, 1};
  a.put(thread_record(0, 1));
  b.put(thread_record(1, 1));
  for (std::uint64_t i = 0; i < 100; ++i) {
    a.put(known_call(i));
    b.put(known_call(i));
    ASSERT_TRUE(drain.run());
  }
  auto bytes = bytes_of(out / "rank-00005.spool");
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  put_bytes(out / "rank-00005.spool", bytes);
  const auto finished = finish(ring);
  EXPECT_EQ(finished.damaged, 2u);  // both slots have records behind the damage that are in no place any more
  RankFile file = result();
  EXPECT_EQ(file.meta().losses[static_cast<std::size_t>(Loss::damaged)], 2u);
  const std::uint64_t kept = count_known_calls(file, 0);
  EXPECT_GT(kept, 20u);
  EXPECT_LT(kept, 80u);
  EXPECT_LE(count_known_calls(file, 1), kept);
}

TEST_F(Finish, TakesRecordsOnceIfTheyAreInSpoolAndRing) {
  made.set_output(out, 5);
  auto ring = open();
  Drain drain{ring};
  TestProducer producer{made, 0};
  producer.put(thread_record(0, 1));
  for (std::uint64_t i = 0; i < 100; ++i) producer.put(known_call(i));
  ASSERT_TRUE(drain.run());
  made.slot(0).tail.store(0);  // the writer died between spool and tail
  EXPECT_EQ(finish(ring).events, 100u);
  RankFile file = result();
  EXPECT_EQ(count_known_calls(file, 0), 100u);
}

TEST_F(Finish, ContinuesWithRecordsThatTheProgramSpilled) {
  made.set_output(out, 5);
  auto ring = open();
  TestProducer producer{made, 0};
  producer.put(thread_record(0, 1));
  for (std::uint64_t i = 0; i < 100; ++i) producer.put(known_call(i));
  {
    Drain drain{ring};
    ASSERT_TRUE(drain.run());
  }
  std::filesystem::rename(out / "rank-00005.spool", dir / "a.ring.spool");  // as if begun beside the ring
  for (std::uint64_t i = 100; i < 200; ++i) producer.put(known_call(i));
  {
    Drain drain{ring};
    ASSERT_TRUE(drain.run());
  }
  std::filesystem::rename(out / "rank-00005.spool", out / "rank-00005.spill");
  for (std::uint64_t i = 200; i < 250; ++i) producer.put(known_call(i));
  EXPECT_EQ(finish(ring).events, 250u);
  RankFile file = result();
  EXPECT_EQ(count_known_calls(file, 0), 250u);
}

TEST_F(Finish, SurvivesRandomlyChangedRings) {
  made.set_output(out, 5);
  std::mt19937_64 random{test::seeded(3)};
  for (int round = 0; round < 200; ++round) {
    for (std::uint32_t slot = 0; slot < 3; ++slot) {
      made.slot(slot).tail.store(0);
      made.slot(slot).head.store(0);
      TestProducer producer{made, slot};
      producer.put(thread_record(slot, 1));
      for (std::uint64_t i = 0; i < 60; ++i) producer.put(known_call(i));
      for (int flips = 0; flips < 3; ++flips) *made.word(slot, 8 * (random() % 1000)) ^= 1ull << (random() % 64);
      if (random() % 5 == 0) made.slot(slot).head.store(random());
    }
    auto finished = finish_rank(open(), {}, out);
    ASSERT_TRUE(finished) << finished.error().what;
    RankFile file = result();
    EventBatch batch;
    for (std::size_t i = 0; i < file.meta().segments.size(); ++i) ASSERT_TRUE(file.read(i, batch));
  }
}

TEST_F(Finish, GivesTheSameBytesHoweverItWasDrained) {
  made.set_output(out, 5);
  TestProducer a{made, 0}, b{made, 1};
  auto ring = open();
  std::vector<char> files[2];
  for (const int round : {0, 1}) {
    for (const std::uint32_t slot : {0u, 1u}) {
      made.slot(slot).tail.store(0);
      made.slot(slot).head.store(0);
    }
    std::filesystem::remove(out / "rank-00005.spool");
    Drain drain{ring};
    a.put(thread_record(0, 1));
    b.put(thread_record(1, 1));
    for (std::uint64_t i = 0; i < 80; ++i) {
      a.put(known_call(i));
      b.put(known_call(i));
      if (round == 1 && i % 7 == 0) {
        ASSERT_TRUE(drain.run());
      }
    }
    finish(ring);
    files[round] = bytes_of(out / "rank-00005.h5");
  }
  EXPECT_EQ(files[0], files[1]);
}

}  // namespace
}  // namespace meridian
