// SPDX-License-Identifier: Apache-2.0
// The rows of the merged file: their order, what they say, and the sums over them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <tuple>

#include "merged_reader.hpp"
#include "synthetic_patterns.hpp"
#include "synthetic_trace.hpp"
#include "tests/support/seed.hpp"

namespace meridian::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

auto order_of(const EventRow& row) { return std::tuple{row.enter_ns, row.rank, row.thread, row.sequence}; }

bool is_ordered(const std::vector<EventRow>& rows) { return std::ranges::is_sorted(rows, {}, order_of); }

TEST(EventOrder, IsByTimeRankThreadAndSequence) {
  SyntheticRun run{2};
  for (std::size_t r = 2; r-- > 0;) {
    for (std::uint32_t t = 3; t-- > 0;) {
      run[r].thread(t).call(CallId::Comm_rank, {100, 100});
      run[r].thread(t).call(CallId::Comm_size, {100, 100});
      run[r].thread(t).call(CallId::Wtime, {100 + t, 110});
    }
  }
  ASSERT_TRUE(run.merge());
  const auto rows = MergedReader{run.merged()}.events();
  ASSERT_EQ(rows.size(), 18U);
  EXPECT_TRUE(is_ordered(rows));
  EXPECT_EQ(rows[0].thread, 0U);
  EXPECT_EQ(rows[2].call, static_cast<std::uint16_t>(CallId::Wtime));
  EXPECT_EQ(rows[3].thread, 1U);
  EXPECT_EQ(rows[7].rank, 1);
}

TEST(EventOrder, EveryCallIsOneRow) {
  const TempDir directory;
  const std::uint64_t calls = write_halo(directory.path(), 3, 2000);
  const auto outcome = merge(directory.path());
  ASSERT_TRUE(outcome) << outcome.error().what;
  const auto rows = MergedReader{directory / "merged.h5"}.events();
  ASSERT_EQ(rows.size(), calls);
  EXPECT_EQ(outcome->summary.run.calls, calls);
  EXPECT_TRUE(is_ordered(rows));
  std::array<std::uint64_t, 3> next{};
  for (const EventRow& row : rows) ASSERT_EQ(row.sequence, next[static_cast<std::size_t>(row.rank)]++);
  EXPECT_EQ(outcome->summary.messages.matched, 3U * 4 * 2000);
  EXPECT_EQ(outcome->summary.messages.collectives, 200U);
  EXPECT_THAT(outcome->summary.findings, IsEmpty());
}

TEST(EventOrder, HoldsAfterEventsWereMoved) {
  const TempDir directory;
  const std::uint64_t calls = write_halo(directory.path(), 3, 500);
  // Rank 1's clock is 30 us late: its messages arrive before they are sent.
  auto file = RankFile::open(directory / rank_file_name(1));
  ASSERT_TRUE(file);
  RankMeta meta = file->meta();
  auto writer = RankFileWriter::create(directory / "rank-00001.h5");
  ASSERT_TRUE(writer);
  EventBatch batch;
  for (std::size_t i = 0; i < meta.segments.size(); ++i) {
    ASSERT_TRUE(file->read(i, batch));
    for (auto* column : {&batch.enter_ticks, &batch.leave_ticks})
      for (std::uint64_t& ticks : *column) ticks += 30'000;
    ASSERT_TRUE(writer->append(ThreadId{meta.segments[i].thread}, batch));
  }
  for (CommRow& row : meta.comms) row.call = 0;
  ASSERT_TRUE(writer->finish(meta));

  MergeOptions options;
  options.clocks = ClockModel::linear;  // which believes that the ranks share a clock
  const auto outcome = merge(directory.path(), options);
  ASSERT_TRUE(outcome) << outcome.error().what;
  EXPECT_GT(outcome->summary.reversed_before, 1000U);
  EXPECT_EQ(outcome->summary.reversed_after, 0U);
  const MergedReader merged{directory / "merged.h5"};
  const auto rows = merged.events();
  EXPECT_EQ(rows.size(), calls);
  EXPECT_TRUE(is_ordered(rows));
  std::array<std::uint64_t, 3> next{};
  std::map<std::pair<std::int32_t, std::uint64_t>, EventRow> by_place;
  for (const EventRow& row : rows) {
    ASSERT_EQ(row.sequence, next[static_cast<std::size_t>(row.rank)]++);
    by_place[{row.rank, row.sequence}] = row;
  }
  for (const MatchedMessage& message : merged.messages()) {
    ASSERT_GT(message.receive_leave_ns, message.send_enter_ns);
    const EventRow& send = by_place[{message.send.rank, message.send.event}];
    const EventRow& completion = by_place[{message.completion.rank, message.completion.event}];
    ASSERT_EQ(send.enter_ns, message.send_enter_ns) << "messages and rows agree on the moved times";
    ASSERT_EQ(completion.enter_ns + completion.duration_ns, message.receive_leave_ns);
  }
}

TEST(EventOrder, RowsAreEqualWhetherOrNotEventsWereMoved) {
  SyntheticRun run{2};
  const auto fill = [&](std::uint64_t late) {
    run[0].thread(0).isend({10, 11}, 1, 5, 8, 0xa);
    run[0].thread(1).irecv({12, 13}, 1, 6, 16, 0xb);
    run[0].thread(0).wait({14, 15}, 0xb, {1, 6, 16});
    run[0].thread(1).wait({16, 17}, 0xa);
    run[1].thread(0).send({late + 1, late + 2}, 0, 6, 16);
    run[1].thread(0).receive({late + 12, late + 13}, 0, 5, 8);
  };
  fill(0);
  ASSERT_TRUE(run.merge());
  auto straight = MergedReader{run.merged()}.events();
  run[0].threads.clear();
  run[1].threads.clear();
  fill(100);
  const auto outcome = run.merge();
  ASSERT_TRUE(outcome);
  ASSERT_EQ(outcome->summary.reversed_before, 1U);
  auto moved = MergedReader{run.merged()}.events();
  const auto by_place = [](const EventRow& row) { return std::tuple{row.rank, row.thread, row.sequence}; };
  std::ranges::sort(straight, {}, by_place);
  std::ranges::sort(moved, {}, by_place);
  ASSERT_EQ(straight.size(), moved.size());
  for (std::size_t i = 0; i < straight.size(); ++i) {
    EXPECT_EQ(by_place(straight[i]), by_place(moved[i]));
    EXPECT_EQ(straight[i].peer, moved[i].peer);
    EXPECT_EQ(straight[i].tag, moved[i].tag);
    EXPECT_EQ(straight[i].comm, moved[i].comm);
    EXPECT_EQ(straight[i].bytes_received, moved[i].bytes_received);
    EXPECT_EQ(straight[i].bytes_sent, moved[i].bytes_sent);
  }
}

TEST(EventRows, DescribeTheCall) {
  SyntheticRun run{3};
  run[0]->isend({10, 12}, 1, 5, 8, 0xa);
  run[0]->irecv({13, 14}, kAnySource, 6, 100, 0xb);
  run[0]->requests(CallId::Waitall, {15, 40}, {{0xa, 0, 0, 0}, {0xb, 1, 6, 16}});
  run[0]->call(CallId::Iprobe, {50, 51}, Payload::p2p);
  run[0]->side(kWorld, 2, 7, 0);
  run[0]->call(CallId::Put, {60, 61}, Payload::rma);
  run[0]->batch.rma.push_back({0x9, 1, 0, 0, 32, 0});
  run[0]->call(CallId::File_read_at, {70, 71}, Payload::io, kFlagFailed);
  run[0]->batch.io.push_back({0x9, 0, 64, 0});
  run[1]->send({20, 21}, 0, 6, 16);
  run[1]->receive({22, 23}, 0, 5, 8);
  ASSERT_TRUE(run.merge());
  std::vector<EventRow> rows;
  for (const EventRow& row : MergedReader{run.merged()}.events())
    if (row.rank == 0) rows.push_back(row);
  ASSERT_EQ(rows.size(), 6U);
  EXPECT_EQ(rows[0].bytes_sent, 8U);
  EXPECT_EQ(rows[0].peer, 1);
  EXPECT_EQ(rows[0].tag, 5);
  EXPECT_EQ(rows[0].comm, 0U);
  EXPECT_EQ(rows[0].duration_ns, 2);
  EXPECT_EQ(rows[1].peer, kNoPeer);
  EXPECT_EQ(rows[1].bytes_received, 0U);
  EXPECT_EQ(rows[2].bytes_received, 16U);
  EXPECT_EQ(rows[2].peer, 1);
  EXPECT_EQ(rows[2].tag, 6);
  EXPECT_EQ(rows[3].peer, 2);
  EXPECT_EQ(rows[4].bytes_sent, 32U);
  EXPECT_EQ(rows[4].comm, kNoComm);
  EXPECT_EQ(rows[5].bytes_received, 64U);
  EXPECT_EQ(rows[5].flags, kFlagFailed);
}

TEST(EventRows, TimesThatGoBackwardsAreMovedUp) {
  SyntheticRun run{1};
  run[0]->call(CallId::Comm_rank, {100, 120});
  run[0]->call(CallId::Comm_rank, {110, 115});
  run[0]->call(CallId::Comm_rank, {130, 125});
  const auto outcome = run.merge();
  ASSERT_TRUE(outcome);
  EXPECT_EQ(find(outcome->summary, "rank.time_backwards")->detail, "rank 0 thread 0");
  const auto rows = MergedReader{run.merged()}.events();
  EXPECT_TRUE(is_ordered(rows));
  EXPECT_EQ(rows[1].enter_ns - rows[0].enter_ns, 20);
  EXPECT_EQ(rows[1].duration_ns, 0);
  EXPECT_EQ(rows[2].duration_ns, 0);
}

TEST(Statistics, AgreeWithASlowLoop) {
  std::mt19937_64 random{test::seeded(7)};
  SyntheticRun run{2};
  std::map<CallId, std::vector<double>> durations;
  for (std::size_t r = 0; r < 2; ++r) {
    std::uint64_t t = 1000;
    for (int i = 0; i < 3000; ++i) {
      const CallId call = std::array{CallId::Comm_rank, CallId::Comm_size, CallId::Wtime}[random() % 3];
      const std::uint64_t duration = random() % (i % 10 == 0 ? 100'000 : 50);
      run[r]->call(call, {t, t + duration});
      durations[call].push_back(static_cast<double>(duration) * 1e-9);
      t += duration + random() % 100;
    }
  }
  const auto outcome = run.merge();
  ASSERT_TRUE(outcome);
  ASSERT_EQ(outcome->summary.functions.size(), 3U);
  double last = 1e9;
  for (const FunctionSummary& function : outcome->summary.functions) {
    const auto& values = durations[call_by_name(function.name)];
    double total = 0, squares = 0;
    for (const double value : values) total += value;
    const double mean = total / static_cast<double>(values.size());
    for (const double value : values) squares += (value - mean) * (value - mean);
    EXPECT_EQ(function.count, values.size());
    EXPECT_NEAR(function.total_s, total, 1e-12);
    EXPECT_NEAR(function.mean_s, mean, 1e-15);
    EXPECT_NEAR(function.min_s, *std::ranges::min_element(values), 1e-15);
    EXPECT_NEAR(function.max_s, *std::ranges::max_element(values), 1e-15);
    EXPECT_NEAR(function.sd_s, std::sqrt(squares / static_cast<double>(values.size())), 1e-13);
    EXPECT_LE(function.total_s, last);
    last = function.total_s;
  }
  EXPECT_EQ(outcome->summary.ranks[1].calls, 3000U);
}

TEST(Statistics, KnowTheRunAndItsRanks) {
  SyntheticRun run{2};
  run[0]->send({1000, 3000}, 1, 5, 8);
  run[0].thread(1).call(CallId::Comm_rank, {2000, 2500});
  run[1]->receive({1500, 6000}, 0, 5, 8);
  run[1].meta.hostname = "other";
  run[1].meta.overheads.push_back({OverheadKind::flush_wait, 0, 100, 600, 2});
  const auto outcome = run.merge();
  ASSERT_TRUE(outcome);
  const Summary& summary = outcome->summary;
  EXPECT_EQ(summary.run.executable, "./app");
  EXPECT_EQ(summary.run.mpi_library, "Synthetic MPI");
  EXPECT_EQ(summary.run.threads, 3U);
  EXPECT_EQ(summary.run.hosts, 2U);
  EXPECT_EQ(summary.run.calls, 3U);
  EXPECT_NEAR(summary.run.time_s, 5e-6, 1e-15);
  EXPECT_EQ(summary.run.begin_realtime_ns, 1'700'000'000'000'001'000);
  EXPECT_EQ(summary.run.trace_bytes, std::filesystem::file_size(run.directory / "rank-00000.h5") +
                                         std::filesystem::file_size(run.directory / "rank-00001.h5"));
  EXPECT_NEAR(summary.ranks[0].mpi_s, 2.5e-6, 1e-15);
  EXPECT_NEAR(summary.ranks[0].time_s, 2e-6, 1e-15);
  EXPECT_EQ(summary.ranks[0].threads, 2U);
  EXPECT_EQ(summary.ranks[1].host, "other");
  ASSERT_EQ(summary.overhead.size(), 1U);
  EXPECT_EQ(summary.overhead[0].name, "flush wait");
  EXPECT_EQ(summary.overhead[0].count, 2U);
  EXPECT_NEAR(summary.overhead[0].total_s, 5e-7, 1e-15);
  EXPECT_NEAR(summary.overhead[0].share, 0.05, 1e-9);
}

TEST(MergedFile, IsTheSameByteForByteEveryTime) {
  const TempDir one, two;
  write_halo(one.path(), 4, 1000);
  write_halo(two.path(), 4, 1000);
  ASSERT_TRUE(merge(one.path()));
  ASSERT_TRUE(merge(two.path()));
  const auto first = bytes_of(one / "merged.h5");
  EXPECT_EQ(first, bytes_of(two / "merged.h5"));
  ASSERT_TRUE(merge(one.path()));
  EXPECT_EQ(first, bytes_of(one / "merged.h5"));
}

TEST(MergedFile, IsTheSameByteForByteWhenEventsWereMoved) {
  SyntheticRun run{3};
  for (std::uint64_t i = 0; i < 500; ++i) {
    run[0]->send({100 * i, 100 * i + 10}, 1, 1, 8);
    run[1]->receive({100 * i - (i > 0 ? 20 : 0), 100 * i}, 0, 1, 8);
    run[2].thread(static_cast<std::uint32_t>(i % 3)).call(CallId::Comm_rank, {100 * i, 100 * i + 5});
  }
  const auto outcome = run.merge();
  ASSERT_TRUE(outcome);
  ASSERT_GT(outcome->summary.reversed_before, 0U);
  const auto first = bytes_of(run.merged());
  ASSERT_TRUE(run.merge());
  EXPECT_EQ(first, bytes_of(run.merged()));
}

TEST(MergedFile, RankWithoutCallsIsNotAFlaw) {
  SyntheticRun run{2};
  run[0]->call(CallId::Comm_rank, {1, 2});
  const auto outcome = run.merge();
  ASSERT_TRUE(outcome) << outcome.error().what;
  EXPECT_EQ(outcome->summary.ranks[1].calls, 0U);
  EXPECT_THAT(outcome->summary.findings, IsEmpty());
}

TEST(MergedFile, TraceWithoutCallsIsNotAFlaw) {
  SyntheticRun run{2};
  const auto outcome = run.merge();
  ASSERT_TRUE(outcome) << outcome.error().what;
  EXPECT_EQ(outcome->summary.run.calls, 0U);
  EXPECT_EQ(outcome->summary.run.time_s, 0);
}

}  // namespace
}  // namespace meridian::test
