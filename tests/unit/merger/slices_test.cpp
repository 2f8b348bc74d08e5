// SPDX-License-Identifier: Apache-2.0
// Ranks are replayed one after the other for a slice of time each; the merged file does not show it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

#include "cli/generate/generated_halo.hpp"
#include "merged_reader.hpp"
#include "merger/match/slice_rows.hpp"
#include "synthetic_trace.hpp"
#include "tests/support/seed.hpp"

namespace meridian::test {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using Name = std::pair<std::int64_t, std::int32_t>;  // enter, rank
class SliceRowsTest : public ::testing::Test {
 protected:
  void push(std::int64_t enter_ns, std::int32_t rank, std::uint32_t thread = 0) {
    EventRow row;
    row.enter_ns = enter_ns;
    row.rank = rank;
    row.thread = thread;
    slice.push(row);
  }
  std::vector<Name> pass_on(std::int64_t next_ns) {
    passed.clear();
    slice.pass_on(next_ns, queue);
    EXPECT_TRUE(queue.flush());
    return passed;
  }

  std::vector<Name> passed;
  RowSink sink = [this](std::span<const EventRow> rows) {
    for (const EventRow& row : rows) passed.emplace_back(row.enter_ns, row.rank);
    return Status{};
  };
  RowQueue queue{sink};
  SliceRows slice;
};

TEST_F(SliceRowsTest, LeaveInOrderOfTimeThenOfRank) {
  push(30, 2);
  push(10, 1);
  push(30, 1);
  push(-5, 1);
  push(30, 0);
  EXPECT_THAT(pass_on(31), ElementsAre(Name{-5, 1}, Name{10, 1}, Name{30, 0}, Name{30, 1}, Name{30, 2}));
  EXPECT_THAT(pass_on(1000), IsEmpty());
}

TEST_F(SliceRowsTest, StayWhileAnEarlierOneMayStillCome) {
  push(10, 1);
  push(20, 1);
  push(30, 1);
  EXPECT_THAT(pass_on(20), ElementsAre(Name{10, 1}));
  push(20, 0);
  push(25, 0);
  EXPECT_THAT(pass_on(26), ElementsAre(Name{20, 0}, Name{20, 1}, Name{25, 0}));
  EXPECT_THAT(pass_on(INT64_MAX), ElementsAre(Name{30, 1}));
}

TEST_F(SliceRowsTest, MayBeFarApart) {
  push(INT64_MAX - 1, 0);
  push(INT64_MIN, 1);
  push(0, 2);
  EXPECT_THAT(pass_on(INT64_MAX), ElementsAre(Name{INT64_MIN, 1}, Name{0, 2}, Name{INT64_MAX - 1, 0}));
}

// Rates between a call a second and 100 a microsecond, on ranks that start and end at other times, with many equal times.
TEST(Slices, GiveOneOrderForRanksOfAnyPace) {
  std::mt19937_64 random{seeded(1)};
  constexpr std::int32_t kRanks = 12;
  SyntheticRun run{kRanks};
  std::size_t calls = 0;
  for (std::size_t r = 0; r < kRanks; ++r) {
    std::uint64_t now = 1000 + random() % 5 * 100'000'000;
    for (int stretch = 0; stretch < 4; ++stretch) {
      const std::uint64_t pace = std::uint64_t{10} << 3 * (random() % 9);
      const std::uint64_t count = random() % (pace > 100'000 ? 50 : 20'000);
      for (std::uint64_t i = 0; i < count; ++i) {
        now += random() % 4 == 0 ? 0 : pace;
        run[r].thread().call(CallId::Comm_rank, {now, now});
      }
      calls += count;
    }
  }
  ASSERT_TRUE(run.merge());
  const auto rows = MergedReader{run.merged()}.events();
  ASSERT_EQ(rows.size(), calls);
  EXPECT_TRUE(std::ranges::is_sorted(rows, {}, [](const EventRow& row) {
    return std::tuple{row.enter_ns, row.rank, row.thread, row.sequence};
  }));
  std::vector<std::uint64_t> next(kRanks);
  for (const EventRow& row : rows) ASSERT_EQ(row.sequence, next[static_cast<std::size_t>(row.rank)]++);
}

// The sender is replayed far behind the receivers, and before them.
TEST(Slices, MatchMessagesThatCrossThem) {
  constexpr int kCrossing = 30'000;
  SyntheticRun run{3};
  for (int i = 0; i < kCrossing; ++i) {
    const std::uint64_t at = 1000 + 100 * static_cast<std::uint64_t>(i);
    run[0].thread().send({at, at + 10}, 1, 7, i);
    run[1].thread().receive({at + 5, at + 50}, 0, 7, i);
    run[1].thread().send({at + 60, at + 70}, 2, 7, i);
    run[2].thread().receive({at + 200'000'000, at + 200'000'050}, 1, 7, i);
  }
  const auto outcome = run.merge();
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->summary.messages.matched, 2U * kCrossing);
  EXPECT_THAT(outcome->summary.findings, IsEmpty());
  for (const auto& message : MergedReader{run.merged()}.messages())
    ASSERT_EQ(message.bytes, message.send.event / (message.send.rank == 1 ? 2 : 1));
}

TEST(GeneratedHalo, OfSeveralHostsHasTheirClocksAndNoReversedMessage) {
  const TempDir directory;
  ASSERT_TRUE(generate_halo(directory.path(), {.ranks = 10, .hosts = 4, .calls = 5000}));
  const auto outcome = merge(directory.path());
  ASSERT_TRUE(outcome) << outcome.error().what;
  const Summary& summary = outcome->summary;
  EXPECT_THAT(summary.clocks, SizeIs(4));
  EXPECT_THAT(summary.clocks, Each(Field(&ClockSummary::clock, "monotonic")));
  EXPECT_EQ(summary.messages.unmatched_sends + summary.messages.unmatched_receives, 0U);
  const auto chosen = std::ranges::find(summary.clock_models, true, &ClockModelSummary::is_chosen);
  ASSERT_NE(chosen, summary.clock_models.end());
  EXPECT_GT(chosen->messages, 0U);
  EXPECT_EQ(chosen->reversed, 0U);
  EXPECT_TRUE(
      std::ranges::none_of(summary.findings, [](const Finding& row) { return row.severity == Severity::error; }));
}

TEST(GeneratedHalo, OfMoreHostsThanRanksHasAHostForEachRank) {
  const TempDir directory;
  ASSERT_TRUE(generate_halo(directory.path(), {.ranks = 2, .hosts = 4, .calls = 100}));
  const auto outcome = merge(directory.path());
  ASSERT_TRUE(outcome);
  EXPECT_THAT(outcome->summary.clocks, SizeIs(2));
}

}  // namespace
}  // namespace meridian::test
