// SPDX-License-Identifier: Apache-2.0
// Samples from rank files to the tables of functions. One tick is one ns. The files of code are gone, so that functions are told apart
// by the file that they are in.

#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>
#include <memory>

#include "analysed.hpp"
#include "edit/write_edit.hpp"
#include "merged/sample_reader.hpp"
#include "modules.hpp"
#include "trace/model/sample_keys.hpp"

namespace meridian::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::uint32_t kAssemble = 1, kSolve = 2, kInSolve = 3;  // rows of stacks

/// Rank 0 computes from 100 to 1000, rank 1 until 1900; both leave a barrier at 2000.
class SampledRun : public testing::Test {
 protected:
  SampledRun() {
    for (std::size_t i = 0; i < 2; ++i) {
      SyntheticRank& rank = run[i];
      load_module(rank, "10000", "20000", kBuildId, "/nowhere/assemble");
      load_module(rank, "30000", "40000", std::string{kBuildId} + "44", "/nowhere/solve");
      load_module(rank, "50000", "60000", std::string{kBuildId} + "55", "/lib/libm.so.6");
      rank.sample_stacks = {{}, {0, 0x10400}, {0, 0x30400}, {2, 0x50400}};
      rank->call(CallId::Init, {0, 100});
      rank->collective(CallId::Barrier, {i == 0 ? 1000U : 1900U, 2000});
      rank->call(CallId::Finalize, {2000, 2100});
    }
  }
  void sample(std::size_t rank, std::uint64_t first, std::uint64_t count, std::uint32_t stack) {
    for (std::uint64_t i = 0; i < count; ++i) run[rank].samples.push_back({first + 100 * i, 0, stack});
  }
  void processor_time(std::size_t rank, std::uint64_t ns) {
    run[rank].meta.texts.push_back({kSamplesProcessorKey, std::to_string(ns), 0, 0});
  }
  /// Rank 0 is in assemble; rank 1 first in assemble, then in solve.
  void sample_both() {
    sample(0, 150, 9, kAssemble);
    sample(0, 1050, 9, kSolve);  // in the barrier
    sample(1, 150, 9, kAssemble);
    sample(1, 1050, 9, kSolve);
  }
  static std::vector<std::string> rows(const Summary& summary) {
    std::vector<std::string> found;
    for (const RankFunctionSummary& row : summary.rank_functions)
      found.push_back(std::to_string(row.rank) + " " + row.module + " " +
                      std::to_string(std::lround(row.self_s * 1e9)) + " ns " + std::to_string(row.samples));
    return found;
  }

  SyntheticRun run{2};
};

TEST_F(SampledRun, TimeOutsideMpiIsDividedByItsSamples) {
  sample_both();
  const Summary summary = analysed(run);
  EXPECT_THAT(rows(summary), ElementsAre("0 assemble 900 ns 9", "1 assemble 900 ns 9", "1 solve 900 ns 9"));
  EXPECT_NEAR(summary.rank_functions[0].error_s, 0, 1e-15);
  EXPECT_NEAR(summary.rank_functions[1].error_s, std::sqrt(0.25 / 18) * 1800e-9, 1e-12);
}

TEST_F(SampledRun, FunctionsHaveTheSumTheMeanAndTheMostOfTheRanks) {
  sample_both();
  const auto functions = analysed(run).program_functions;
  ASSERT_EQ(functions.size(), 2U);
  EXPECT_EQ(functions[0].module, "assemble");
  EXPECT_NEAR(functions[0].self_s, 1800e-9, 1e-15);
  EXPECT_NEAR(functions[0].share, 2.0 / 3, 1e-12);
  EXPECT_EQ(functions[1].module, "solve");
  EXPECT_EQ(functions[1].most_rank, 1);
  EXPECT_NEAR(functions[1].mean_s, 450e-9, 1e-15);
  EXPECT_NEAR(functions[1].imbalance_s, 450e-9, 1e-15);
}

TEST_F(SampledRun, TheCriticalPathComputesInTheFunctionsOfTheRankThatComesLast) {
  sample(0, 150, 9, kAssemble);
  sample(1, 150, 12, kAssemble);
  sample(1, 1350, 6, kInSolve);
  sample(1, 1950, 1, kSolve);  // in the barrier
  std::vector<std::string> found;
  for (const PathFunctionSummary& row : analysed(run).path_functions)
    found.push_back(row.module + " " + std::to_string(std::lround(row.path_s * 1e9)) + " ns " +
                    std::to_string(std::lround(row.error_s * 1e9)) + " " + std::to_string(row.samples));
  // 1800 ns, of which two thirds are in assemble; one standard error: 1800 sqrt(2/9 / 18)
  EXPECT_THAT(found, ElementsAre("assemble 1200 ns 200 12", "solve 600 ns 200 6"));
}

TEST_F(SampledRun, WithoutSamplesThePathHasNoFunctions) { EXPECT_THAT(analysed(run).path_functions, IsEmpty()); }

TEST_F(SampledRun, TheMathematicalLibraryCountsForItsCaller) {
  sample(0, 150, 6, kInSolve);
  sample(0, 750, 3, kSolve);
  EXPECT_THAT(rows(analysed(run)), ElementsAre("0 solve 900 ns 9"));
}

TEST_F(SampledRun, AThreadThatSleptHasOnlyItsProcessorTime) {
  sample(0, 150, 9, kAssemble);
  processor_time(0, 90);
  EXPECT_THAT(rows(analysed(run)), ElementsAre("0 assemble 90 ns 9"));
}

TEST_F(SampledRun, AThreadThatComputedHasAllOfItsTime) {
  sample(0, 150, 9, kAssemble);
  processor_time(0, 870);
  EXPECT_THAT(rows(analysed(run)), ElementsAre("0 assemble 900 ns 9"));
}

TEST_F(SampledRun, TimeWithoutAProcessorCountsOutsideOfMpiOnly) {
  sample(0, 150, 9, kAssemble);
  sample(0, 1050, 9, kSolve);  // in the barrier
  processor_time(0, 1000);     // half of it outside
  run[0].processor.push_back({1900, 800, 0, 0, 1, true});
  EXPECT_THAT(rows(analysed(run)), ElementsAre("0 assemble 500 ns 9"));  // it slept for the rest
  run[0].processor.insert(run[0].processor.begin(), {600, 350, 0, 0, 1, true});
  EXPECT_THAT(rows(analysed(run)), ElementsAre("0 assemble 900 ns 9"));
}

TEST_F(SampledRun, SamplesAreInTheMergedFileRankByRank) {
  sample_both();
  ASSERT_TRUE(run.merge());
  const auto trace = MergedTrace::open(run.merged());
  ASSERT_TRUE(trace) << trace.error().what;
  const auto reader = trace->samples();
  ASSERT_TRUE(reader) << reader.error().what;
  EXPECT_EQ(reader->size(), 36U);
  std::vector<MergedSample> rows(36);
  ASSERT_TRUE(reader->read(0, rows));
  const std::int64_t zero_ns = rows[18].time_ns - 150;  // of rank 1's first sample
  EXPECT_EQ(reader->names().ranks[1].rank, 1);
  SampleCursor cursor{*reader,
                      {.from_ns = zero_ns + 1000, .to_ns = zero_ns + 1300, .ranks = std::vector<std::int32_t>{1}}};
  ASSERT_TRUE(*cursor.next(rows));
  EXPECT_EQ(cursor.rank(), 1);
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].time_ns - zero_ns, 1050);
  EXPECT_EQ(trace->definitions().locations[static_cast<std::size_t>(rows[0].location)].rank, 1);
  EXPECT_FALSE(*cursor.next(rows));
}

TEST_F(SampledRun, ATraceWithoutSamplesHasNoTablesOfThem) {
  const Summary summary = analysed(run);
  EXPECT_THAT(summary.program_functions, IsEmpty());
  const auto trace = MergedTrace::open(run.merged());
  ASSERT_TRUE(trace) << trace.error().what;
  const auto reader = trace->samples();
  ASSERT_TRUE(reader) << reader.error().what;
  EXPECT_EQ(reader->size(), 0U);
}

TEST_F(SampledRun, DamagedSamplesOfARankAreAFindingAndTheOthersAreThere) {
  sample_both();
  run[0].samples.push_back({2050, 0, 9});  // no such stack
  const auto outcome = run.merge();
  ASSERT_TRUE(outcome) << outcome.error().what;
  const auto finding = std::ranges::find(outcome->summary.findings, "rank.damaged_tables", &Finding::name);
  ASSERT_NE(finding, outcome->summary.findings.end());
  EXPECT_THAT(finding->detail, ::testing::HasSubstr("a stack that is not in 'sample_stacks'"));
  const auto trace = MergedTrace::open(run.merged());
  EXPECT_EQ(trace->samples()->size(), 18U);
}

TEST_F(SampledRun, RefusedAndLostSamplesAreFindings) {
  run[0].meta.texts.push_back({kSamplesRefusedKey, "EACCES; kernel.perf_event_paranoid = 3", 0, 0});
  run[1].meta.texts.push_back({kSamplesLostKey, "12", 0, 0});
  const auto outcome = run.merge();
  ASSERT_TRUE(outcome) << outcome.error().what;
  std::vector<std::string> found;
  for (const Finding& finding : outcome->summary.findings)
    found.push_back(finding.name + " " + std::to_string(finding.count) + " " + finding.detail);
  EXPECT_THAT(found, ::testing::UnorderedElementsAre("samples.refused 1 rank 0: EACCES; kernel.perf_event_paranoid = 3",
                                                     "samples.lost 12 rank 1: 12"));
}

TEST_F(SampledRun, AnEditKeepsTheSamplesAmongRemainingEvents) {
  sample_both();
  ASSERT_TRUE(run.merge());
  const auto trace = MergedTrace::open(run.merged());
  auto choice = EventChoice::make(*trace, {.ranks = {{1, 1}}}, run.merged().parent_path(), {});
  ASSERT_TRUE(choice) << choice.error().what;
  SelectEvents edit{*std::move(choice)};
  const auto stored = StoredTrace::open(run.merged());
  ASSERT_TRUE(stored) << stored.error().what;
  const auto output = run.directory / "cut.h5";
  const auto counts = write_edit(*stored, output, edit, {.description = "filter", .analyse = with_analyses().analyse});
  ASSERT_TRUE(counts) << counts.error().what;
  const auto cut = MergedTrace::open(output);
  ASSERT_TRUE(cut) << cut.error().what;
  EXPECT_EQ(cut->samples()->size(), 18U + 9U);  // rank 0 keeps the barrier, which is the other end of rank 1's
  EXPECT_THAT(rows(*cut->summary()), ElementsAre("1 assemble 900 ns 9", "1 solve 900 ns 9"));
}

}  // namespace
}  // namespace meridian::test
