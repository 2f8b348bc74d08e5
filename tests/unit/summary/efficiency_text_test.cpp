// SPDX-License-Identifier: Apache-2.0
// Section EFFICIENCY of the text.

#include <gtest/gtest.h>

#include "cli/summary/text/text.hpp"

namespace meridian {
namespace {

EfficiencySummary run_of(std::uint64_t threads) {
  EfficiencySummary row;
  row.scope = "run";
  row.time_s = 2;
  row.processes = 2;
  row.threads = threads;
  row.load_balance = 0.8;
  row.serialisation = 0.9;
  row.transfer = 0.5;
  row.thread_factor = 0.5;
  row.parallel = 0.18;
  return row;
}

WhatIfSummary saving(std::string kind, std::string name, double share) {
  WhatIfSummary row;
  row.kind = std::move(kind);
  row.name = std::move(name);
  row.saved_share = share;
  return row;
}

TEST(EfficiencyText, HasTheFactorsOfTheRun) {
  Summary summary;
  summary.efficiencies = {run_of(2)};
  EXPECT_EQ(efficiency_section(summary, Paint{false}),
            "EFFICIENCY (2.00 s)\n"
            "  factor                value less than 100 % if\n"
            "  parallel efficiency  18.0 % (the product of the others)\n"
            "  load balance         80.0 % ranks compute for different times\n"
            "  serialisation        90.0 % ranks wait for each other in turn\n"
            "  transfer             50.0 % MPI itself and data under way take time\n");
}

TEST(EfficiencyText, HasThreadsIfRanksHaveSeveral) {
  Summary summary;
  summary.efficiencies = {run_of(4)};
  EXPECT_NE(efficiency_section(summary, Paint{false}).find("  threads              50.0 % threads of a rank"),
            std::string::npos);
}

TEST(EfficiencyText, NamesTheLargestSavingsAndTheStatesOfTheCriticalPath) {
  Summary summary;
  summary.efficiencies = {run_of(2)};
  summary.what_if = {saving("network", "MPI and data under way", 0.5), saving("region", "solve", 0.3),
                     saving("waits", "waits for messages", 0.2), saving("waits", "waits in collectives", 0.1)};
  CriticalPathSummary compute, transfer;
  compute.state = "compute";
  compute.total_s = 0.4;
  transfer.state = "mpi-transfer";
  transfer.total_s = 0.2;
  summary.critical_path = {compute, compute, transfer};
  const std::string text = efficiency_section(summary, Paint{false});
  EXPECT_NE(text.find("  The run would be shorter without MPI and data under way (50.0 %), computing in\n"
                      "  solve (30.0 %), waits for messages (20.0 %).\n"
                      "  Critical path: compute 80.0 %, mpi-transfer 20.0 %.\n"),
            std::string::npos)
      << text;
}

CriticalPathSummary stretch(std::string function, std::string state, double total_s) {
  CriticalPathSummary row;
  row.function = std::move(function);
  row.state = std::move(state);
  row.total_s = total_s;
  return row;
}

TEST(EfficiencyText, SharesOfTheCriticalPathAreWithoutStartAndEnd) {
  Summary summary;
  summary.efficiencies = {run_of(2)};  // of 2 s
  const CriticalPathSummary late = stretch("", "unknown", 0.5), init = stretch("MPI_Init_thread", "mpi-transfer", 1),
                            compute = stretch("", "compute", 1.5), send = stretch("MPI_Send", "mpi-transfer", 0.5),
                            finalize = stretch("MPI_Finalize", "mpi-transfer", 0.3);
  summary.critical_path = {late, init, compute, send, finalize};
  std::string text = efficiency_section(summary, Paint{false});
  EXPECT_NE(text.find("  Critical path: compute 75.0 %, mpi-transfer 25.0 %.\n"), std::string::npos) << text;
  summary.critical_path = {late, init, compute, finalize};  // the rest of the 2 s is unknown, as where calls were lost
  text = efficiency_section(summary, Paint{false});
  EXPECT_NE(text.find("  Critical path: compute 75.0 %, unknown 25.0 %.\n"), std::string::npos) << text;
  summary.critical_path = {init, finalize};
  EXPECT_EQ(efficiency_section(summary, Paint{false}).find("Critical path"), std::string::npos);
}

TEST(EfficiencyText, SaysThatSleepCountsAsWaiting) {
  Summary summary;
  summary.efficiencies = {run_of(2)};
  summary.states = {{0, 0, "compute", 1}, {0, 0, "sleep", 0.6}, {1, 0, "sleep", 0.4}};
  EXPECT_NE(efficiency_section(summary, Paint{false})
                .find("  Threads sleep for 25.0 % of their time, which counts as waiting.\n"),
            std::string::npos);
  summary.states = {{0, 0, "sleep", 0.03}};
  EXPECT_EQ(efficiency_section(summary, Paint{false}).find("sleep"), std::string::npos);
}

TEST(EfficiencyText, OfARunThatHungHasNoFactors) {
  Summary summary;
  summary.efficiencies = {run_of(2)};
  ProblemSummary& problem = summary.problems.emplace_back();
  problem.problem = "deadlock";
  problem.share = 0.8;
  EXPECT_EQ(efficiency_section(summary, Paint{false}),
            "EFFICIENCY\n  None: 80.0 % of the ranks' time is in calls that never returned.\n");
}

TEST(EfficiencyText, IsMissingForATraceWithoutEfficiencies) {
  EXPECT_EQ(efficiency_section(Summary{}, Paint{false}), "");
}

}  // namespace
}  // namespace meridian
