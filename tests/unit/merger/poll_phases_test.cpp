// SPDX-License-Identifier: Apache-2.0
// Phases of polls give what the same polls give that are recorded one by one. Times are ns.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "analysed.hpp"
#include "merged/merged_trace.hpp"
#include "merged_reader.hpp"
#include "synthetic_trace.hpp"

namespace meridian::test {
namespace {

using ::testing::ElementsAre;

std::int64_t ns(double seconds) { return std::llround(seconds * 1e9); }

Summary merged(SyntheticRun& run) {
  auto outcome = run.merge(with_analyses());
  if (!outcome) throw std::runtime_error(outcome.error().what);
  EXPECT_TRUE(outcome->summary.findings.empty());
  return std::move(outcome->summary);
}

/// A rank that polls for a late message: four times for 8 of 10 ns, and then with success.
void poll_for_message(SyntheticRun& run, bool is_phase) {
  run[0]->irecv({1, 2}, 1, 7, 8, 0xa);
  if (is_phase)
    run[0]->polls(CallId::Test, {10, 48}, 4, 32);
  else
    for (std::uint64_t at = 10; at < 50; at += 10) run[0]->requests(CallId::Test, {at, at + 8}, {});
  run[0]->requests(CallId::Test, {50, 52}, {{0xa, 1, 7, 8}});
  run[1]->send({35, 36}, 0, 7, 8);
}

TEST(PollPhases, HaveTheCountsAndTimesOfTheirPolls) {
  for (const bool is_phase : {false, true}) {
    SyntheticRun run{2};
    poll_for_message(run, is_phase);
    const Summary summary = merged(run);
    const auto test = std::ranges::find(summary.functions, "MPI_Test", &FunctionSummary::name);
    ASSERT_NE(test, summary.functions.end());
    EXPECT_EQ(test->count, 5u);
    EXPECT_EQ(ns(test->total_s), 4 * 8 + 2);
    EXPECT_EQ(ns(test->max_s), 8);
    EXPECT_EQ(ns(test->min_s), 2);
    EXPECT_NEAR(test->sd_s * 1e9, 2.4, 1e-6);
    EXPECT_EQ(test->bytes_sent, 0u);
    EXPECT_EQ(test->bytes_received, 8u);
    EXPECT_EQ(summary.ranks[0].calls, 6u);
    EXPECT_EQ(ns(summary.ranks[0].mpi_s), 1 + 34);
    EXPECT_EQ(summary.run.calls, 7u);
    EXPECT_EQ(summary.messages.matched, 1u);
  }
}

TEST(PollPhases, AreOneWaitForWhatTheLastPollFinds) {
  for (const bool is_phase : {false, true}) {
    SyntheticRun run{2};
    poll_for_message(run, is_phase);
    const Summary summary = merged(run);
    const auto wait = std::ranges::find(summary.waits, "late sender", &WaitSummary::pattern);
    ASSERT_NE(wait, summary.waits.end());
    EXPECT_EQ(wait->count, 1u);
    EXPECT_EQ(ns(wait->total_s), 21);  // 8 + 8 + 5 of the polls before 35; of the phase, 32 * 25 / 38
  }
}

TEST(PollPhases, ComputeBetweenTheirPolls) {
  for (const bool is_phase : {false, true}) {
    SyntheticRun run{2};
    poll_for_message(run, is_phase);
    std::map<std::string, std::int64_t> states;
    for (const StateSummary& row : merged(run).states)
      if (row.rank == 0) states[row.state] += ns(row.total_s);
    EXPECT_EQ(states["compute"], 8 + 6 + 2) << is_phase;
    EXPECT_EQ(states["mpi-wait"], 21) << is_phase;
    EXPECT_EQ(states["mpi-transfer"], 1 + 34 - 21) << is_phase;
  }
}

TEST(PollPhases, AreEventsWithANumberOfCalls) {
  SyntheticRun run{2};
  poll_for_message(run, true);
  run[1]->polls(CallId::Iprobe, {40, 60}, 3, 15, kWorld, 0, 9);
  merged(run);
  const auto trace = MergedTrace::open(run.merged());
  ASSERT_TRUE(trace);
  std::vector<std::string> phases;
  for (std::uint64_t row = 0; row < trace->events(); ++row) {
    const auto event = trace->event(row);
    ASSERT_TRUE(event);
    if (event->calls == 1) {
      EXPECT_EQ(event->outside_ns, 0);
      continue;
    }
    phases.push_back(std::to_string(event->calls) + " of rank " + std::to_string(event->rank) + ": " +
                     std::to_string(event->inside_ns()) + " of " + std::to_string(event->duration_ns) + ", peer " +
                     std::to_string(event->peer) + ", tag " + std::to_string(event->tag) + ", bytes " +
                     std::to_string(event->bytes_sent + event->bytes_received));
  }
  EXPECT_THAT(phases, ElementsAre("4 of rank 0: 32 of 38, peer -1, tag -1, bytes 0",
                                  "3 of rank 1: 15 of 20, peer 0, tag 9, bytes 0"));
  const MergedReader columns{run.merged()};
  EXPECT_THAT(columns.event_column<std::int64_t>("calls"), ElementsAre(1, 4, 1, 3, 1));
  EXPECT_THAT(columns.event_column<std::int64_t>("outside_ns"), ElementsAre(0, 6, 0, 5, 0));
}

TEST(PollPhases, WithDamagedCountsAreOneCall) {
  SyntheticRun run{2};
  run[0]->polls(CallId::Test, {10, 20}, 0, 1000);
  const Summary summary = merged(run);
  const auto test = std::ranges::find(summary.functions, "MPI_Test", &FunctionSummary::name);
  ASSERT_NE(test, summary.functions.end());
  EXPECT_EQ(test->count, 1u);
  EXPECT_EQ(ns(test->total_s), 10);
}

}  // namespace
}  // namespace meridian::test
