// SPDX-License-Identifier: Apache-2.0
// Merges of many ranks, whose calls are in memory only in part, and with a thread that writes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sched.h>

#include <thread>

#include "merged_reader.hpp"
#include "merger/load/bound_memory.hpp"
#include "merger/output/background_writer.hpp"
#include "synthetic_patterns.hpp"
#include "tests/support/whole_file.hpp"

namespace meridian::test {
namespace {

using ::testing::IsEmpty;

TEST(ManyRanks, HaveAllCallsAndMessagesInOrder) {
  constexpr std::int32_t kRanks = 70;  // more than are decoded in memory
  const TempDir directory;
  const std::uint64_t calls = write_halo(directory.path(), kRanks, 600);
  const auto outcome = merge(directory.path());
  ASSERT_TRUE(outcome) << outcome.error().what;
  EXPECT_EQ(outcome->summary.run.calls, calls);
  EXPECT_EQ(outcome->summary.messages.matched, 4U * 600 * kRanks);
  EXPECT_EQ(outcome->summary.messages.collectives, 60U);
  EXPECT_THAT(outcome->summary.findings, IsEmpty());
  const auto rows = MergedReader{directory / "merged.h5"}.events();
  ASSERT_EQ(rows.size(), calls);
  std::vector<std::uint64_t> next(kRanks);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    ASSERT_EQ(rows[i].sequence, next[static_cast<std::size_t>(rows[i].rank)]++);
    ASSERT_LE(rows[i == 0 ? 0 : i - 1].enter_ns, rows[i].enter_ns);
  }
}

// Every rank is read in many pieces there, as it would be among thousands of ranks.
TEST(ManyRanks, ReadInSmallPiecesHaveTheSameCalls) {
  const TempDir directory;
  write_halo(directory.path(), 2, 3000);
  std::vector<RankFile> files;
  for (std::int32_t rank = 0; rank < 2; ++rank) {
    auto file = RankFile::open(directory / rank_file_name(rank));
    ASSERT_TRUE(file) << file.error().what;
    files.push_back(*std::move(file));
  }
  ASSERT_TRUE(bound_memory(files, directory.path()));
  EventBatch whole, piece;
  ASSERT_TRUE(files[1].read(0, whole));
  files[1].read_by_pieces(100, nullptr);
  SegmentPieces pieces = files[1].pieces(0);
  std::vector<std::uint64_t> enter;
  while (pieces.left() != 0) {
    ASSERT_TRUE(files[1].read(pieces, piece));
    enter.insert(enter.end(), piece.enter_ticks.begin(), piece.enter_ticks.end());
  }
  EXPECT_EQ(enter, whole.enter_ticks);
}

TEST(Merging, OnOneProcessorGivesTheSameBytes) {
  const TempDir directory;
  write_halo(directory.path(), 3, 20'000);
  ASSERT_TRUE(merge(directory.path()));
  const std::string expected = whole_file(directory / "merged.h5");
  cpu_set_t all, one;
  ASSERT_EQ(::sched_getaffinity(0, sizeof all, &all), 0);
  CPU_ZERO(&one);
  for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++cpu)
    if (CPU_ISSET(cpu, &all)) CPU_SET(cpu, &one);
  ASSERT_EQ(::sched_setaffinity(0, sizeof one, &one), 0);
  const auto outcome = merge(directory.path());
  ASSERT_EQ(::sched_setaffinity(0, sizeof all, &all), 0);
  ASSERT_TRUE(outcome) << outcome.error().what;
  EXPECT_TRUE(whole_file(directory / "merged.h5") == expected);
}

TEST(BackgroundWriter, StoresAllRowsInOrder) {
  for (const bool has_thread : {false, true}) {
    std::vector<std::int64_t> stored;
    BackgroundWriter writer{[&](const MatchedRows& rows) {
                              for (const EventRow& row : rows.events) stored.push_back(row.enter_ns);
                              return Status{};
                            },
                            has_thread};
    constexpr std::int64_t kRows = 200'000;
    for (std::int64_t i = 0; i < kRows; ++i) {
      EventRow row;
      row.enter_ns = i;
      writer.rows().events.push_back(row);
      ASSERT_TRUE(writer.hand_over());
    }
    ASSERT_TRUE(writer.finish());
    ASSERT_EQ(stored.size(), static_cast<std::size_t>(kRows));
    EXPECT_TRUE(std::ranges::is_sorted(stored));
  }
}

TEST(BackgroundWriter, ReportsTheFirstErrorAndStoresNothingMore) {
  for (const bool has_thread : {false, true}) {
    int stored = 0;
    BackgroundWriter writer{[&](const MatchedRows&) -> Status {
                              return ++stored == 2 ? Status{Error{Errc::io, "the disk is full", ""}} : Status{};
                            },
                            has_thread};
    Status status;
    for (int i = 0; status && i < 50; ++i) {
      writer.rows().events.resize(20'000);
      status = writer.hand_over();
    }
    if (status) status = writer.finish();
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().what, "the disk is full");
    EXPECT_EQ(stored, 2);
  }
}

TEST(BackgroundWriter, ThatIsAbandonedEnds) {
  BackgroundWriter writer{[](const MatchedRows&) { return Status{}; }, true};
  for (int i = 0; i < 5; ++i) {
    writer.rows().events.resize(20'000);
    ASSERT_TRUE(writer.hand_over());
  }
}

}  // namespace
}  // namespace meridian::test
