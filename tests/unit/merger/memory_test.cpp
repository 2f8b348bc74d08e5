// SPDX-License-Identifier: Apache-2.0
// The memory of processes over time from rank files to the merged file, its readers, the summary and findings. One tick is one ns.

#include <gmock/gmock.h>
#include <hdf5.h>

#include <algorithm>
#include <filesystem>

#include "edit/write_edit.hpp"
#include "merged/memory_reader.hpp"
#include "query/query_table.hpp"
#include "synthetic_trace.hpp"
#include "trace/format/tables/h5.hpp"

namespace meridian::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::uint64_t kMiB = 1 << 20;
constexpr std::uint64_t kStepNs = 10'000'000;
constexpr std::int64_t kZeroNs = -1'000'000'000;  // of the clocks of these ranks

constexpr std::int64_t at(std::int64_t step) { return step * static_cast<std::int64_t>(kStepNs); }

/// Each rank leaves 100 barriers, one in each step, and its memory is read in each step.
class RunWithMemory : public testing::Test {
 protected:
  RunWithMemory() {
    for (std::size_t i = 0; i < 2; ++i) {
      SyntheticRank& rank = run[i];
      rank->call(CallId::Init, {0, 100});
      if (i == 0) rank.meta.user_definitions = {{1, UserKind::region, "region", "step", ""}};
      for (std::uint64_t step = 1; step <= 100; ++step) {
        if (i == 0) mark(rank, (step - 1) * kStepNs + 300, kFlagBegins);
        rank->collective(CallId::Barrier, {step * kStepNs, step * kStepNs + 100});
        if (i == 0) mark(rank, step * kStepNs + 200, kFlagEnds);
      }
      rank->call(CallId::Finalize, {101 * kStepNs, 101 * kStepNs + 100});
    }
  }
  static void mark(SyntheticRank& rank, std::uint64_t ticks, std::uint8_t flags) {
    rank->call(CallId::UserEvent, {ticks, ticks}, Payload::user, flags);
    rank->batch.user.push_back({1, 0});
  }
  /// Of a rank, in MiB: bytes_of(step).
  template <class BytesOf>
  void read(std::size_t rank, BytesOf&& mib_of) {
    std::uint64_t peak = 0;
    for (std::uint64_t step = 0; step <= 100; ++step) {
      const std::uint64_t bytes = mib_of(step) * kMiB;
      peak = std::max(peak, bytes);
      run[rank].memory.push_back({50 + step * kStepNs, bytes, peak, 0, bytes / 4096, step / 50});
    }
  }
  /// "name count detail" of the findings about memory.
  static std::vector<std::string> findings(const Summary& summary) {
    std::vector<std::string> found;
    for (const Finding& finding : summary.findings)
      if (finding.name.starts_with("memory."))
        found.push_back(finding.name + " " + std::to_string(finding.count) + " " + finding.detail);
    return found;
  }
  Summary merged_summary() {
    auto outcome = run.merge();
    EXPECT_TRUE(outcome) << outcome.error().what;
    return outcome->summary;
  }
  MergedTrace merged() {
    EXPECT_TRUE(run.merge());
    auto trace = MergedTrace::open(run.merged());
    EXPECT_TRUE(trace) << trace.error().what;
    return *std::move(trace);
  }
  /// "rank time resident", in steps and MiB.
  static std::vector<std::string> rows(const MergedTrace& trace, const MemorySelection& selection = {}) {
    std::vector<std::string> found;
    const auto reader = trace.memory();
    EXPECT_TRUE(reader) << reader.error().what;
    std::vector<MergedMemory> readings;
    MemoryCursor cursor{*reader, selection};
    for (;;) {
      const auto has_more = cursor.next(readings);
      EXPECT_TRUE(has_more) << has_more.error().what;
      if (!has_more || !*has_more) return found;
      for (const MergedMemory& row : readings)
        found.push_back(std::to_string(cursor.rank()) + " " +
                        std::to_string((row.time_ns - kZeroNs) / static_cast<std::int64_t>(kStepNs)) + " " +
                        std::to_string(row.resident_bytes / kMiB));
    }
  }

  SyntheticRun run{2};
};

TEST_F(RunWithMemory, ReadingsAreInTheMergedFileRankByRank) {
  run[0].memory = {{50, 3 * kMiB, 4 * kMiB, 5, 6, 7}, {2 * kStepNs, 2 * kMiB, 4 * kMiB, 0, 8, 9}};
  run[1].memory = {{kStepNs, 9 * kMiB, 9 * kMiB, 0, 0, 0}};
  const MergedTrace trace = merged();
  EXPECT_THAT(rows(trace), ElementsAre("0 0 3", "0 2 2", "1 1 9"));
  EXPECT_THAT(rows(trace, {.from_ns = kZeroNs + at(1), .to_ns = kZeroNs + at(2)}), ElementsAre("1 1 9"));
  EXPECT_THAT(rows(trace, {.from_ns = kZeroNs + at(2)}), ElementsAre("0 2 2"));
  EXPECT_THAT(rows(trace, {.ranks = std::vector<std::int32_t>{1}}), ElementsAre("1 1 9"));
  std::vector<MergedMemory> first(1);
  ASSERT_TRUE(trace.memory()->read(0, first));
  EXPECT_EQ(first[0], (MergedMemory{kZeroNs + 50, 3 * kMiB, 4 * kMiB, 5, 6, 7}));
}

TEST_F(RunWithMemory, ATraceWithoutReadingsHasNoTablesOfThem) {
  const Summary summary = merged_summary();
  EXPECT_THAT(summary.rank_memory, IsEmpty());
  EXPECT_THAT(rows(*MergedTrace::open(run.merged())), IsEmpty());
  const h5::File file{H5Fopen(run.merged().c_str(), H5F_ACC_RDONLY, H5P_DEFAULT)};
  EXPECT_FALSE(h5::exists(file.get(), "memory"));
  EXPECT_FALSE(h5::exists(file.get(), "memory_ranks"));
}

TEST_F(RunWithMemory, DamagedReadingsOfARankAreAFindingAndTheOthersAreThere) {
  run[0].memory = {{50, std::uint64_t{1} << 60, 0, 0, 0, 0}};
  run[1].memory = {{kStepNs, 9 * kMiB, 9 * kMiB, 0, 0, 0}};
  const Summary summary = merged_summary();
  const auto finding = std::ranges::find(summary.findings, "rank.damaged_tables", &Finding::name);
  ASSERT_NE(finding, summary.findings.end());
  EXPECT_THAT(finding->detail, ::testing::HasSubstr("a reading of 'memory' has more than a process can have"));
  EXPECT_THAT(rows(*MergedTrace::open(run.merged())), ElementsAre("1 1 9"));
}

TEST_F(RunWithMemory, RanksOfTheMergedFileThatContradictTheReadingsAreDamage) {
  run[0].memory = {{50, 3 * kMiB, 3 * kMiB, 0, 0, 0}};
  ASSERT_TRUE(run.merge());
  for (const char* name : {"memory_ranks/first", "memory_ranks/count"}) {
    const auto damaged = run.directory / "damaged.h5";
    std::filesystem::copy_file(run.merged(), damaged, std::filesystem::copy_options::overwrite_existing);
    {
      const h5::File file{H5Fopen(damaged.c_str(), H5F_ACC_RDWR, H5P_DEFAULT)};
      const h5::Dataset data{H5Dopen2(file.get(), name, H5P_DEFAULT)};
      const std::uint64_t value = 7;
      ASSERT_GE(H5Dwrite(data.get(), H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value), 0);
    }
    const auto trace = MergedTrace::open(damaged);
    ASSERT_TRUE(trace) << trace.error().what;
    const auto reader = trace->memory();
    ASSERT_FALSE(reader) << name;
    EXPECT_EQ(reader.error().code, Errc::damaged) << name;
  }
}

TEST_F(RunWithMemory, TheSummaryHasARowForEachRank) {
  run[1].memory = {{50, 3 * kMiB, 4 * kMiB, kMiB / 2, 6, 7}, {2 * kStepNs, 2 * kMiB, 6 * kMiB, 0, 8, 10}};
  const Summary summary = merged_summary();
  ASSERT_EQ(summary.rank_memory.size(), 1U);
  const RankMemorySummary& row = summary.rank_memory.front();
  EXPECT_EQ(row.rank, 1);
  EXPECT_EQ(row.begin_bytes, 3 * kMiB);
  EXPECT_EQ(row.end_bytes, 2 * kMiB);
  EXPECT_EQ(row.peak_bytes, 6 * kMiB);
  EXPECT_EQ(row.swapped_bytes, kMiB / 2);
  EXPECT_EQ(row.minor_faults, 2U);
  EXPECT_EQ(row.major_faults, 3U);
  EXPECT_EQ(row.growth_bytes, 0U);
  EXPECT_THAT(findings(summary), ElementsAre("memory.swapped 1 rank 1: 0.50 MiB, 3 major page faults"));
  const auto stored = MergedTrace::read_summary(run.merged());
  ASSERT_TRUE(stored) << stored.error().what;
  ASSERT_EQ(stored->rank_memory.size(), 1U);
  EXPECT_EQ(stored->rank_memory.front().peak_bytes, 6 * kMiB);
}

TEST_F(RunWithMemory, SteadyGrowthIsAFindingWithTheBytesOfAnIteration) {
  for (const std::uint32_t rank : {0U, 1U}) read(rank, [](std::uint64_t step) { return 20 + step; });
  const Summary summary = merged_summary();
  ASSERT_EQ(summary.rank_memory.size(), 2U);
  for (const RankMemorySummary& row : summary.rank_memory) {
    EXPECT_EQ(row.iteration, row.rank == 0 ? "step" : "MPI_Barrier");
    EXPECT_EQ(row.growth_bytes % kMiB, 0U);
    EXPECT_NEAR(static_cast<double>(row.iterations), 75, 2);
    EXPECT_NEAR(row.iteration_bytes, kMiB, 0.02 * kMiB);
    EXPECT_NEAR(row.growth_s, 0.75, 0.02);
  }
  const std::vector<std::string> found = findings(summary);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_THAT(found[0], ::testing::StartsWith("memory.growth 2 rank 0: "));
  EXPECT_THAT(found[0], ::testing::HasSubstr("calls of MPI_Barrier"));
}

TEST_F(RunWithMemory, WhatIsNoSteadyGrowthIsNoFinding) {
  const std::vector<std::pair<const char*, std::uint64_t (*)(std::uint64_t)>> curves = {
      {"allocated at the start", [](std::uint64_t step) -> std::uint64_t { return step == 0 ? 10 : 500; }},
      {"set up in the first third",
       [](std::uint64_t step) -> std::uint64_t { return 10 + 20 * std::min<std::uint64_t>(step, 33); }},
      {"allocated and freed", [](std::uint64_t step) -> std::uint64_t { return 10 + step % 10 * 50; }},
      {"one step in the middle", [](std::uint64_t step) -> std::uint64_t { return step < 50 ? 100 : 300; }},
      {"given back by half", [](std::uint64_t step) -> std::uint64_t { return step < 60 ? 100 + 10 * step : 400; }},
      {"little", [](std::uint64_t step) -> std::uint64_t { return 100 + step / 8; }},
      {"little of much", [](std::uint64_t step) -> std::uint64_t { return 10'000 + step; }},
  };
  for (const auto& [name, curve] : curves) {
    run[0].memory.clear();
    read(0, curve);
    const Summary summary = merged_summary();
    EXPECT_THAT(findings(summary), IsEmpty()) << name;
    ASSERT_EQ(summary.rank_memory.size(), 1U);
    EXPECT_EQ(summary.rank_memory.front().growth_bytes, 0U) << name;
    EXPECT_EQ(summary.rank_memory.front().iteration, "") << name;
  }
}

TEST_F(RunWithMemory, GrowthIsFoundAlthoughTheProgramFreesItsMemoryAtTheEnd) {
  read(0, [](std::uint64_t step) -> std::uint64_t { return step > 90 ? 5 : 20 + step; });
  EXPECT_EQ(findings(merged_summary()).size(), 1U);
}

TEST_F(RunWithMemory, GrowthIsFoundInReadingsThatAreFarApart) {
  read(0, [](std::uint64_t step) { return 20 + step; });
  std::vector<MemoryRow> few;
  for (std::size_t i = 0; i < run[0].memory.size(); i += 20) few.push_back(run[0].memory[i]);
  run[0].memory = few;
  const Summary summary = merged_summary();
  EXPECT_EQ(findings(summary).size(), 1U);
  EXPECT_NEAR(summary.rank_memory.front().iteration_bytes, kMiB, 0.02 * kMiB);
}

TEST_F(RunWithMemory, AQueryHasTheReadingsOfAWindow) {
  read(0, [](std::uint64_t step) { return step; });
  const MergedTrace trace = merged();
  const QueryTrace source{trace};
  const auto table = std::ranges::find(query_tables(), "memory", &QueryTable::name);
  ASSERT_NE(table, query_tables().end());
  const auto rows_of = table->open(source, {.from_ns = kZeroNs + at(98), .ranks = std::vector<std::int32_t>{0}});
  ASSERT_TRUE(rows_of) << rows_of.error().what;
  std::vector<std::string> names;
  for (const QueryColumn& column : table->columns) names.emplace_back(column.column.name);
  EXPECT_THAT(names, ElementsAre("rank", "time_s", "resident_bytes", "peak_bytes", "swapped_bytes", "minor_faults",
                                 "major_faults"));
  std::size_t count = 0;
  while (*(*rows_of)->next()) ++count;
  EXPECT_EQ(count, 3U);
}

TEST_F(RunWithMemory, AnEditKeepsTheReadingsAmongRemainingEvents) {
  for (const std::uint32_t rank : {0U, 1U}) read(rank, [](std::uint64_t step) { return step; });
  const MergedTrace trace = merged();
  auto choice =
      EventChoice::make(trace, {.ranks = {{1, 1}}, .to_ns = kZeroNs + at(10) + 50}, run.merged().parent_path(), {});
  ASSERT_TRUE(choice) << choice.error().what;
  SelectEvents edit{*std::move(choice)};
  const auto stored = StoredTrace::open(run.merged());
  ASSERT_TRUE(stored) << stored.error().what;
  const auto output = run.directory / "cut.h5";
  const auto counts = write_edit(*stored, output, edit, {.description = "filter"});
  ASSERT_TRUE(counts) << counts.error().what;
  const auto cut = MergedTrace::open(output);
  ASSERT_TRUE(cut) << cut.error().what;
  const std::vector<std::string> all = rows(trace), kept = rows(*cut);
  EXPECT_LT(kept.size(), all.size());
  EXPECT_THAT(kept, ::testing::Contains("1 5 5"));
  EXPECT_THAT(kept, ::testing::Not(::testing::Contains("1 50 50")));
}

}  // namespace
}  // namespace meridian::test
