// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "merged_reader.hpp"
#include "merger/model/definitions/paths.hpp"
#include "modules.hpp"
#include "synthetic_trace.hpp"

namespace meridian::test {
namespace {

using testing::ElementsAre;

/// The last call of the thread was made from this row of the rank's stacks.
void from(SyntheticRank& rank, std::uint32_t node) {
  EventBatch& batch = rank.thread().batch;
  batch.flags.back() |= kFlagSite;
  batch.sites.push_back(rank.meta.stacks[node].address);
  batch.nodes.push_back(node);
}

/// "0x400 0x500": the frames of a path of the summary, outermost first.
std::string frames_of(const Summary& summary, std::size_t path) {
  std::string text;
  for (const PathFrameSummary& frame : summary.path_frames) {
    if (frame.path != path) continue;
    char number[32];
    std::snprintf(number, sizeof number, "%s0x%llx", text.empty() ? "" : " ",
                  static_cast<unsigned long long>(frame.offset));
    text += number;
  }
  return text;
}

TEST(CallPaths, AreTheSameInRanksThatLoadedTheirFileElsewhere) {
  SyntheticRun run{2};
  load_module(run[0], "10000", "20000", kBuildId, std::string{"/nowhere/"} + kBuildId);
  load_module(run[1], "70000", "80000", kBuildId, std::string{"/nowhere/"} + kBuildId);
  run[0].meta.stacks = {{}, {0, 0x10100}, {1, 0x10200}, {1, 0x10300}};
  run[1].meta.stacks = {{}, {0, 0x70100}, {1, 0x70300}, {1, 0x70200}};
  run[0]->collective(CallId::Barrier, {100, 110});
  from(run[0], 2);
  run[1]->collective(CallId::Barrier, {100, 130});
  from(run[1], 3);
  run[0]->collective(CallId::Barrier, {200, 203});
  from(run[0], 3);
  run[1]->collective(CallId::Barrier, {200, 204});
  from(run[1], 3);
  const auto outcome = run.merge();
  ASSERT_TRUE(outcome) << outcome.error().what;
  const auto& paths = outcome->summary.paths;
  ASSERT_EQ(paths.size(), 2u);
  EXPECT_EQ(paths[0].function, "MPI_Barrier");
  EXPECT_EQ(paths[0].begins, "program");
  EXPECT_EQ(paths[0].frames, 2u);
  EXPECT_EQ(paths[0].count, 3u);
  EXPECT_EQ(paths[0].ranks, 2u);
  EXPECT_DOUBLE_EQ(paths[0].total_s, 44e-9);
  EXPECT_DOUBLE_EQ(paths[0].share, 44.0 / 47);
  EXPECT_EQ(frames_of(outcome->summary, 0), "0x100 0x200");
  EXPECT_EQ(paths[1].ranks, 1u);
  EXPECT_EQ(frames_of(outcome->summary, 1), "0x100 0x300");
  ASSERT_EQ(outcome->summary.sites.size(), 2u);
  EXPECT_EQ(outcome->summary.sites[0].offset, 0x200u);
  EXPECT_EQ(outcome->summary.sites[0].count, 3u);
  const MergedReader merged{run.merged()};
  EXPECT_THAT(merged.column<std::uint32_t>("paths/parent"), ElementsAre(0u, 0u, 0u, 0u, 3u, 3u));
  EXPECT_THAT(merged.column<std::uint32_t>("paths/site"), ElementsAre(0u, 0u, 0u, 1u, 2u, 3u));
  EXPECT_THAT(merged.column<std::uint64_t>("sites/offset"), ElementsAre(0u, 0x100u, 0x200u, 0x300u));
  EXPECT_THAT(merged.event_column<std::uint32_t>("path"), ElementsAre(4u, 4u, 5u, 4u));
  EXPECT_THAT(merged.event_column<std::uint32_t>("site"), ElementsAre(2u, 2u, 3u, 2u));
}

TEST(CallPaths, DoNotShowFramesOfTheTracerAndOfTheMpiLibrary) {
  SyntheticRun run{1};
  load_module(run[0], "10000", "20000", kBuildId, std::string{"/nowhere/"} + kBuildId);
  load_module(run[0], "30000", "40000", "aa", "/nowhere/aa", "mpi");
  load_module(run[0], "50000", "60000", "bb", "/nowhere/bb", "tracer");
  // main, its library's Fortran side; a thread that the tracer has begun; and a function that MPI calls back.
  run[0].meta.stacks = {{}, {0, 0x10100}, {1, 0x30200}, {2, 0x50300}, {2, 0x10400}};
  for (const std::uint32_t node : {2u, 3u, 4u}) {
    run[0]->call(CallId::Wtime, {100 * node, 100 * node + 10 * node});
    from(run[0], node);
  }
  const auto outcome = run.merge();
  ASSERT_TRUE(outcome) << outcome.error().what;
  ASSERT_EQ(outcome->summary.paths.size(), 2u);
  EXPECT_EQ(frames_of(outcome->summary, 0), "0x100");
  EXPECT_EQ(outcome->summary.paths[0].count, 2u);
  EXPECT_EQ(frames_of(outcome->summary, 1), "0x100 0x400");
  EXPECT_EQ(count_of(outcome->summary, "site.in_mpi"), 0u) << "it is known who called";
}

TEST(CallPaths, MarkWhereTheyEnd) {
  SyntheticRun run{1};
  load_module(run[0], "10000", "20000", kBuildId, std::string{"/nowhere/"} + kBuildId);
  run[0].meta.stacks = {{}, {0, kStackDeeper}, {1, 0x10100}, {0, kStackLost}, {3, 0x10100}, {0, 0x10100}};
  std::uint64_t now = 100;
  for (const std::uint32_t node : {2u, 4u, 4u, 5u}) {
    run[0]->call(CallId::Wtime, {now, now + 10});
    from(run[0], node);
    now += 100;
  }
  const auto outcome = run.merge();
  ASSERT_TRUE(outcome) << outcome.error().what;
  std::vector<std::pair<std::string, std::uint64_t>> begins;
  for (const PathSummary& path : outcome->summary.paths) begins.emplace_back(path.begins, path.count);
  EXPECT_THAT(begins,
              testing::UnorderedElementsAre(std::pair{"deeper", 1}, std::pair{"lost", 2}, std::pair{"program", 1}));
  EXPECT_EQ(outcome->summary.sites.size(), 1u) << "the place is one";
  EXPECT_EQ(count_of(outcome->summary, "stack.lost"), 2u);
}

TEST(CallPaths, AreMissingIfStacksWereNotRecorded) {
  SyntheticRun run{1};
  load_module(run[0], "10000", "20000", kBuildId, std::string{"/nowhere/"} + kBuildId);
  run[0]->call(CallId::Wtime, {100, 110});
  run[0].thread().batch.flags.back() |= kFlagSite;
  run[0].thread().batch.sites.push_back(0x10100);
  const auto outcome = run.merge();
  ASSERT_TRUE(outcome) << outcome.error().what;
  EXPECT_TRUE(outcome->summary.paths.empty());
  EXPECT_EQ(outcome->summary.sites.size(), 1u);
}

TEST(CallPaths, AreCountedUpToAMillion) {
  PathTable table;
  std::uint32_t last = 0;
  for (std::size_t i = 3; i < PathTable::kMaxPaths; ++i) last = table.path(last, 1);
  EXPECT_EQ(last, PathTable::kMaxPaths - 1);
  EXPECT_FALSE(table.is_full());
  EXPECT_EQ(table.path(last, 1), kNoPath);
  EXPECT_TRUE(table.is_full());
  EXPECT_EQ(table.path(kNoPath, 1), 3u) << "those that are there are still found";
}

TEST(ThreadRoutines, HaveTheirNamesWhereTheFileIsKnown) {
  SyntheticRun run{1};
  load_module(run[0], "10000", "20000", kBuildId, std::string{"/nowhere/"} + kBuildId);
  run[0]->call(CallId::Wtime, {100, 110});
  run[0].thread(1).routine = 0x10000;
  run[0].thread(2).routine = 0x90000;
  const auto outcome = run.merge();
  ASSERT_TRUE(outcome) << outcome.error().what;
  ASSERT_EQ(outcome->summary.threads.size(), 3u);
  for (const ThreadSummary& thread : outcome->summary.threads) EXPECT_EQ(thread.routine_name, "");
  EXPECT_EQ(count_of(outcome->summary, "site.file_missing"), 1u) << "the first one's file was looked for";
  EXPECT_EQ(count_of(outcome->summary, "site.unknown"), 0u);
}

}  // namespace
}  // namespace meridian::test
