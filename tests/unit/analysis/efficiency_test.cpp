// SPDX-License-Identifier: Apache-2.0
// States of threads and efficiencies of small traces with known ones. Times are ns.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "analysed.hpp"
#include "random_program.hpp"
#include "synthetic_trace.hpp"
#include "trace/format/rank/dropped_rows.hpp"
#include "trace/model/units.hpp"

namespace meridian::test {
namespace {

using ::testing::ElementsAre;

/// "0.0 compute 30", rank and thread first.
std::vector<std::string> states(const Summary& summary) {
  std::vector<std::string> list;
  for (const StateSummary& row : summary.states)
    list.push_back(std::to_string(row.rank) + "." + std::to_string(row.thread) + " " + row.state + " " +
                   std::to_string(ns(row.total_s)));
  return list;
}

const EfficiencySummary& scope(const Summary& summary, const std::string& scope, const std::string& name = "") {
  for (const EfficiencySummary& row : summary.efficiencies)
    if (row.scope == scope && row.name == name) return row;
  ADD_FAILURE() << "no " << scope << " " << name;
  static const EfficiencySummary none;
  return none;
}

std::int64_t saved(const Summary& summary, const std::string& name) {
  for (const WhatIfSummary& row : summary.what_if)
    if (row.name == name) return ns(row.saved_s);
  return 0;
}

void expect_products(const Summary& summary) {
  for (const EfficiencySummary& row : summary.efficiencies) {
    SCOPED_TRACE(row.scope + row.name);
    EXPECT_DOUBLE_EQ(row.parallel, row.load_balance * row.serialisation * row.transfer * row.thread_factor);
    EXPECT_DOUBLE_EQ(row.communication, row.serialisation * row.transfer);
    EXPECT_DOUBLE_EQ(row.mpi_factor, row.load_balance * row.communication);
    EXPECT_NEAR(row.parallel * row.time_s * static_cast<double>(row.threads), row.compute_s,
                1e-9 * row.compute_s + 1e-15);
    EXPECT_LE(row.serialisation, 1.0);
    EXPECT_LE(row.transfer, 1.0);
  }
}

TEST(States, TileTheLifeOfAThread) {
  SyntheticRun run{2};
  run[0]->call(CallId::Init, {0, 10});
  run[0]->send({60, 64}, 1, 7, 8);
  run[0]->call(CallId::nanosleep, {70, 90});
  run[0]->call(CallId::File_write, {95, 97});
  run[0]->call(CallId::Finalize, {100, 110});
  run[1]->call(CallId::Init, {0, 10});
  run[1]->receive({20, 65}, 0, 7, 8);
  run[1]->call(CallId::Finalize, {100, 110});
  EXPECT_THAT(states(analysed(run)), ElementsAre("0.0 compute 64", "0.0 mpi-transfer 24", "0.0 sleep 20", "0.0 io 2",
                                                 "1.0 compute 45", "1.0 mpi-transfer 25", "1.0 mpi-wait 40"));
}

TEST(States, AreUnknownFromACallThatNeverReturnedOn) {
  SyntheticRun run{2};
  run[0]->send({10, 20}, 1, 7, 8);
  run[0]->call(CallId::Recv, {30, 30}, Payload::local, kFlagUnfinished);
  run[0]->call(CallId::Comm_rank, {50, 52});
  run[1]->receive({5, 25}, 0, 7, 8);
  EXPECT_THAT(states(analysed(run)), ElementsAre("0.0 compute 10", "0.0 mpi-transfer 12", "0.0 unknown 20",
                                                 "1.0 mpi-transfer 15", "1.0 mpi-wait 5"));
}

TEST(Efficiency, IsTheProductOfItsFactors) {
  // Rank 0 computes 80 of 100, rank 1 40; the message is under way for 10.
  SyntheticRun run{2};
  run[0]->call(CallId::Init, {0, 10});
  run[0]->send({90, 92}, 1, 7, 8);
  run[0]->call(CallId::Finalize, {110, 120});
  run[1]->call(CallId::Init, {0, 10});
  run[1]->receive({40, 100}, 0, 7, 8);
  run[1]->call(CallId::Finalize, {110, 120});
  const Summary summary = analysed(run);
  const EfficiencySummary& whole = scope(summary, "run");
  EXPECT_EQ(ns(whole.time_s), 100);
  EXPECT_EQ(ns(whole.compute_s), 80 + 18 + 30 + 10);
  EXPECT_EQ(ns(whole.ideal_s), 98);  // rank 0 only loses its 2; rank 1 leaves at 90 and is there at 100
  EXPECT_DOUBLE_EQ(whole.load_balance, 69.0 / 98);
  EXPECT_DOUBLE_EQ(whole.serialisation, 1);
  EXPECT_DOUBLE_EQ(whole.transfer, 0.98);
  EXPECT_DOUBLE_EQ(whole.parallel, 0.69);
  EXPECT_DOUBLE_EQ(whole.thread_factor, 1);
  EXPECT_EQ(whole.processes, 2U);
  EXPECT_EQ(whole.threads, 2U);
  EXPECT_EQ(saved(summary, "MPI and data under way"), 2);
  // Without its wait the receive takes the 10 that the message was under way.
  EXPECT_EQ(saved(summary, "waits for messages"), 0);
  expect_products(summary);
}

TEST(Efficiency, OfAProgramWithSessionsLeavesTheirStartAndEndOut) {
  // The same run in MPI's world model, in a session, and with further sessions inside the first.
  std::vector<Summary> summaries;
  for (const bool has_session : {false, true})
    for (const bool has_more : {false, true}) {
      SyntheticRun run{2};
      for (std::size_t i = 0; i < 2; ++i) {
        run[i]->call(has_session ? CallId::Session_init : CallId::Init, {0, 10});
        if (has_more) run[i]->call(CallId::Session_init, {12, 14});
        if (has_more) run[i]->call(CallId::Session_finalize, {16, 18});
        if (i == 0) run[i]->send({90, 92}, 1, 7, 8);
        if (i == 1) run[i]->receive({40, 100}, 0, 7, 8);
        run[i]->call(has_session ? CallId::Session_finalize : CallId::Finalize, {110, 120});
      }
      summaries.push_back(analysed(run));
      const EfficiencySummary& whole = scope(summaries.back(), "run");
      EXPECT_EQ(ns(whole.time_s), 100) << has_session << has_more;
      EXPECT_EQ(ns(whole.compute_s), 138 - (has_more ? 8 : 0)) << has_session << has_more;
      EXPECT_DOUBLE_EQ(whole.transfer, scope(summaries[has_more ? 1 : 0], "run").transfer) << has_session << has_more;
    }
  EXPECT_DOUBLE_EQ(scope(summaries[2], "run").transfer, 0.98);
}

TEST(Efficiency, CallsOneAfterTheOtherSerialised) {
  // A pipeline: each rank computes 30 after the one before it, without any transfer.
  SyntheticRun run{3};
  for (std::size_t i = 0; i < 3; ++i) {
    run[i]->call(CallId::Init, {0, 10});
    if (i > 0) run[i]->receive({10, 10 + 30 * i}, static_cast<std::int32_t>(i) - 1, 7, 8);
    if (i < 2) run[i]->send({39 + 30 * i, 40 + 30 * i}, static_cast<std::int32_t>(i) + 1, 7, 8);
    run[i]->call(CallId::Finalize, {i == 2 ? 100U : 40 + 30 * i, 110});
  }
  const Summary summary = analysed(run);
  const EfficiencySummary& whole = scope(summary, "run");
  EXPECT_EQ(ns(whole.time_s), 90);
  EXPECT_EQ(ns(whole.ideal_s), 88);
  EXPECT_DOUBLE_EQ(whole.load_balance, (29.0 + 29 + 30) / 3 / 30);
  EXPECT_DOUBLE_EQ(whole.serialisation, 30.0 / 88);
  EXPECT_DOUBLE_EQ(whole.transfer, 88.0 / 90);
  EXPECT_EQ(saved(summary, "waits for messages"), 90 - 31);
  expect_products(summary);
}

TEST(Efficiency, OfWindowsAddsUpToTheComputingOfTheRun) {
  SyntheticRun run{2};
  for (std::size_t i = 0; i < 2; ++i) {
    run[i]->call(CallId::Init, {0, 100});
    for (std::uint64_t at = 200; at < 2000; at += 100)
      run[i]->collective(CallId::Barrier, {at - 40 * i, at + 10}, 0, 0);
    run[i]->call(CallId::Finalize, {2100, 2200});
  }
  const Summary summary = analysed(run);
  double compute_s = 0;
  std::size_t windows = 0;
  for (const EfficiencySummary& row : summary.efficiencies)
    if (row.scope == "window") {
      compute_s += row.compute_s;
      EXPECT_EQ(ns(row.time_s), 100);
      EXPECT_EQ(row.name, std::to_string(++windows));
    }
  EXPECT_EQ(windows, 20U);
  EXPECT_NEAR(compute_s, scope(summary, "run").compute_s, 1e-15);
  expect_products(summary);
}

TEST(Efficiency, OfARegionIsThatOfTheThreadsInIt) {
  SyntheticRun run{3};
  for (std::size_t i = 0; i < 3; ++i) {
    run[i].meta.user_definitions = {{1, UserKind::region, "region", "solve", ""}};
    const auto region = [&](At at, std::uint8_t flag) {
      run[i]->call(CallId::UserRegion, at, Payload::user, flag);
      run[i]->batch.user.push_back({.definition = 1});
    };
    run[i]->call(CallId::Init, {0, 10});
    if (i < 2) region({20, 20}, kFlagBegins);
    run[i]->collective(CallId::Barrier, {30 + 20 * i, 80});
    if (i < 2) region({90, 90}, kFlagEnds);
    run[i]->call(CallId::Finalize, {i == 2 ? 100U : 110U, 120});
  }
  const Summary summary = analysed(run);
  const EfficiencySummary& region = scope(summary, "region", "solve");
  EXPECT_EQ(region.processes, 2U);
  EXPECT_EQ(ns(region.time_s), 70);
  EXPECT_EQ(ns(region.compute_s), 10 + 30 + 10 + 10);
  EXPECT_EQ(ns(region.ideal_s), 60);  // rank 2 reaches the barrier at 70
  EXPECT_DOUBLE_EQ(region.load_balance, 30.0 / 40);
  EXPECT_EQ(ns(region.begin_s), 20);
  // The barrier still ends at 80 because of rank 2, which is not in the region.
  EXPECT_EQ(saved(summary, "solve"), 10);
  expect_products(summary);
}

TEST(Efficiency, OfALastPartBeginsWhenAllRanksHaveCalls) {
  for (const bool is_last_part : {false, true}) {
    SyntheticRun run{2};
    for (std::size_t i = 0; i < 2; ++i) {
      const std::uint64_t begin = i == 0 ? 100 : 1000;
      run[i]->call(CallId::Comm_rank, {begin, begin + 100});
      run[i]->call(CallId::Comm_rank, {1900, 2000});
      if (is_last_part) run[i].meta.texts.push_back({kRecorderKey, "5", 0, begin});
    }
    const Summary summary = analysed(run);
    const auto row = std::ranges::find(summary.efficiencies, "run", &EfficiencySummary::scope);
    ASSERT_NE(row, summary.efficiencies.end());
    EXPECT_EQ(ns(row->time_s), is_last_part ? 1000 : 1900);
    EXPECT_EQ(ns(row->begin_s), is_last_part ? 900 : 0);
  }
}

TEST(Efficiency, SeparatesRanksFromTheirThreads) {
  // Rank 0 has a second thread, for which it waits; each of the two computes 40 of 100.
  SyntheticRun run{1};
  SyntheticThread& main = run[0].thread(0);
  main.call(CallId::Init, {0, 10});
  main.call(CallId::pthread_barrier_wait, {50, 70});
  main.call(CallId::Finalize, {110, 120});
  SyntheticThread& worker = run[0].thread(1);
  worker.call(CallId::nanosleep, {20, 30});
  worker.call(CallId::nanosleep, {70, 110});
  const Summary summary = analysed(run);
  const EfficiencySummary& whole = scope(summary, "run");
  EXPECT_EQ(whole.processes, 1U);
  EXPECT_EQ(whole.threads, 2U);
  EXPECT_EQ(ns(whole.compute_s), 40 + 40 + 40);
  EXPECT_DOUBLE_EQ(whole.mpi_factor, 1);
  EXPECT_DOUBLE_EQ(whole.thread_factor, 0.6);
  EXPECT_DOUBLE_EQ(whole.parallel, 0.6);
  expect_products(summary);
}

TEST(Efficiency, OfRandomProgramsIsTheProductOfItsFactors) {
  for (std::uint64_t seed = 11; seed <= 14; ++seed) {
    SyntheticRun run{5};
    RandomProgram{run, seed}.play(150);
    expect_products(analysed(run));
  }
}

TEST(Efficiency, DoesNotDependOnTheNumbersOfRanks) {
  const auto factors = [](bool is_reversed) {
    SyntheticRun run{3};
    const auto number = [&](std::size_t i) { return is_reversed ? 2 - i : i; };
    for (std::uint64_t i = 0; i < 3; ++i) {
      SyntheticRank& rank = run[number(i)];
      rank->call(CallId::Init, {0, 10});
      if (i == 0) rank->send({40, 45}, static_cast<std::int32_t>(number(2)), 1, 8);
      if (i == 2) rank->receive({30, 50}, static_cast<std::int32_t>(number(0)), 1, 8);
      rank->collective(CallId::Allreduce, {60 + 13 * i, 99 + i}, 8, 8);
      rank->call(CallId::Finalize, {110 + 7 * i, 140 + i});
    }
    const Summary summary = analysed(run);
    std::vector<double> list;
    for (const EfficiencySummary& row : summary.efficiencies)
      list.insert(list.end(), {row.parallel, row.load_balance, row.serialisation, row.transfer, row.ideal_s});
    for (const WhatIfSummary& row : summary.what_if) list.push_back(row.time_s);
    for (const CriticalPathSummary& row : summary.critical_path) list.push_back(row.total_s);
    for (const CriticalSegmentSummary& row : summary.critical_segments) list.push_back(row.begin_s);
    for (const CriticalLineSummary& row : summary.critical_line) list.push_back(seconds(row.end_ns - row.begin_ns));
    EXPECT_EQ(summary.active_paths.size(), 3U + 3);  // of each rank on itself and on the one that it waited for
    return list;
  };
  EXPECT_EQ(factors(false), factors(true));
}

TEST(Efficiency, HasNoRowsForATraceWithoutTime) {
  SyntheticRun run{1};
  const Summary summary = analysed(run);
  EXPECT_TRUE(summary.efficiencies.empty());
  EXPECT_TRUE(summary.what_if.empty());
  EXPECT_TRUE(summary.states.empty());
}

}  // namespace
}  // namespace meridian::test
