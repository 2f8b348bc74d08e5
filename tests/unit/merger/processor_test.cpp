// SPDX-License-Identifier: Apache-2.0
// Intervals without a processor from rank files to the merged file and its readers. One tick is one ns.

#include <gmock/gmock.h>
#include <hdf5.h>

#include <algorithm>
#include <filesystem>

#include "edit/write_edit.hpp"
#include "merged/processor_reader.hpp"
#include "query/query_table.hpp"
#include "synthetic_trace.hpp"
#include "trace/format/tables/h5.hpp"
#include "trace/model/sample_keys.hpp"

namespace meridian::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Each rank has two threads and leaves a barrier at 2000.
class RunWithoutProcessors : public testing::Test {
 protected:
  RunWithoutProcessors() {
    for (std::size_t i = 0; i < 2; ++i) {
      SyntheticRank& rank = run[i];
      rank->call(CallId::Init, {0, 100});
      rank->collective(CallId::Barrier, {i == 0 ? 1000U : 1900U, 2000});
      rank->call(CallId::Finalize, {2000, 2100});
      rank.threads[1].begin_ticks = 50;
    }
  }
  void store_both() {
    run[0].processor = {{300, 100, 0, 0, 1, true}, {900, 700, 0, 1, 1, false}, {950, 200, 150, 0, 3, true}};
    run[1].processor = {{1500, 400, 0, 0, 1, true}};
  }
  /// "rank thread begin end away state count", since the beginning of rank 0's first call, like the selection.
  std::vector<std::string> rows(const MergedTrace& trace, ProcessorSelection selection = {}) const {
    if (selection.from_ns != std::numeric_limits<std::int64_t>::min()) selection.from_ns += zero_ns;
    if (selection.to_ns != std::numeric_limits<std::int64_t>::max()) selection.to_ns += zero_ns;
    std::vector<std::string> found;
    const auto reader = trace.processor();
    EXPECT_TRUE(reader) << reader.error().what;
    std::vector<MergedInterval> intervals;
    ProcessorCursor cursor{*reader, selection};
    for (;;) {
      const auto has_more = cursor.next(intervals);
      EXPECT_TRUE(has_more) << has_more.error().what;
      if (!has_more || !*has_more) return found;
      for (const MergedInterval& row : intervals) {
        const MergedLocation& location = trace.definitions().locations[static_cast<std::size_t>(row.location)];
        EXPECT_EQ(location.rank, cursor.rank());
        found.push_back(std::to_string(location.rank) + "." + std::to_string(location.thread) + " " +
                        std::to_string(row.begin_ns() - zero_ns) + ".." + std::to_string(row.end_ns - zero_ns) + " " +
                        std::to_string(row.away_ns()) + (row.is_ready ? " ready " : " slept ") +
                        std::to_string(row.count));
      }
    }
  }
  MergedTrace merged() {
    EXPECT_TRUE(run.merge());
    auto trace = MergedTrace::open(run.merged());
    EXPECT_TRUE(trace) << trace.error().what;
    return *std::move(trace);
  }

  static constexpr std::int64_t zero_ns = -50;  // of clocks whose first rank begins a thread at 50

  SyntheticRun run{2};
};

TEST_F(RunWithoutProcessors, IntervalsAreInTheMergedFileRankByRank) {
  store_both();
  EXPECT_THAT(rows(merged()), ElementsAre("0.0 200..300 100 ready 1", "0.1 200..900 700 slept 1",
                                          "0.0 750..950 50 ready 3", "1.0 1100..1500 400 ready 1"));
}

TEST_F(RunWithoutProcessors, AWindowHasTheIntervalsThatReachIntoIt) {
  store_both();
  const MergedTrace trace = merged();
  EXPECT_THAT(rows(trace, {.from_ns = 301, .to_ns = 700}), ElementsAre("0.1 200..900 700 slept 1"));
  EXPECT_THAT(rows(trace, {.from_ns = 300, .to_ns = 201}),
              ElementsAre("0.0 200..300 100 ready 1", "0.1 200..900 700 slept 1"));
  EXPECT_THAT(rows(trace, {.to_ns = 200}), IsEmpty());
  EXPECT_THAT(rows(trace, {.from_ns = 951, .ranks = std::vector<std::int32_t>{0}}), IsEmpty());
  EXPECT_THAT(rows(trace, {.from_ns = 901, .to_ns = 1101}),
              ElementsAre("0.0 750..950 50 ready 3", "1.0 1100..1500 400 ready 1"));
}

TEST_F(RunWithoutProcessors, ATraceWithoutIntervalsHasNoTablesOfThem) {
  EXPECT_THAT(rows(merged()), IsEmpty());
  const h5::File file{H5Fopen(run.merged().c_str(), H5F_ACC_RDONLY, H5P_DEFAULT)};
  ASSERT_TRUE(file);
  EXPECT_FALSE(h5::exists(file.get(), "processor"));
  EXPECT_FALSE(h5::exists(file.get(), "processor_ranks"));
}

TEST_F(RunWithoutProcessors, DamagedIntervalsOfARankAreAFindingAndTheOthersAreThere) {
  store_both();
  run[0].processor.push_back({1000, 2000, 0, 0, 1, true});  // longer than the time until its end
  const auto outcome = run.merge();
  ASSERT_TRUE(outcome) << outcome.error().what;
  const auto finding = std::ranges::find(outcome->summary.findings, "rank.damaged_tables", &Finding::name);
  ASSERT_NE(finding, outcome->summary.findings.end());
  EXPECT_THAT(finding->detail, ::testing::HasSubstr("an interval of 'processor' ends before it begins"));
  const auto trace = MergedTrace::open(run.merged());
  EXPECT_THAT(rows(*trace), ElementsAre("1.0 1100..1500 400 ready 1"));
}

TEST_F(RunWithoutProcessors, AnIntervalOfAThreadThatIsNotThereIsLeftOut) {
  store_both();
  run[0].processor[1].thread = 7;
  EXPECT_EQ(rows(merged()).size(), 3U);
}

TEST_F(RunWithoutProcessors, RefusedSwitchesAreAFindingAndLostOnesAreCounted) {
  store_both();
  run[0].meta.texts.push_back({kProcessorRefusedKey, "EMFILE", 0, 0});
  for (const char* so_far : {"7", "12"}) run[1].meta.texts.push_back({kProcessorLostKey, so_far, 0, 0});
  const auto outcome = run.merge();
  ASSERT_TRUE(outcome) << outcome.error().what;
  std::vector<std::string> found;
  for (const Finding& finding : outcome->summary.findings)
    found.push_back(finding.name + " " + std::to_string(finding.count) + " " + finding.detail);
  EXPECT_THAT(found, ElementsAre("processor.refused 1 rank 0: EMFILE"));
  const auto trace = MergedTrace::open(run.merged());
  const auto reader = trace->processor();
  ASSERT_TRUE(reader) << reader.error().what;
  ASSERT_EQ(reader->ranks().size(), 2U);
  EXPECT_EQ(reader->ranks()[0].lost, 0U);
  EXPECT_EQ(reader->ranks()[1].lost, 12U);
}

TEST_F(RunWithoutProcessors, IntervalsInTheMergedFileThatCannotBeAreDamage) {
  store_both();
  ASSERT_TRUE(run.merge());
  for (const auto& [name, value] : {std::pair{"processor/ran_ns", std::int64_t{500}},
                                    {"processor/location", 9},
                                    {"processor/count", 0},
                                    {"processor_ranks/first", 1},
                                    {"processor_ranks/count", 5}}) {
    const auto damaged = run.directory / "damaged.h5";
    std::filesystem::copy_file(run.merged(), damaged, std::filesystem::copy_options::overwrite_existing);
    {
      const h5::File file{H5Fopen(damaged.c_str(), H5F_ACC_RDWR, H5P_DEFAULT)};
      const h5::Dataset data{H5Dopen2(file.get(), name, H5P_DEFAULT)};
      const h5::Space space{H5Dget_space(data.get())};
      const hsize_t first = 0, one = 1;
      const h5::Space memory{H5Screate_simple(1, &one, nullptr)};
      ASSERT_GE(H5Sselect_elements(space.get(), H5S_SELECT_SET, 1, &first), 0);
      ASSERT_GE(H5Dwrite(data.get(), H5T_NATIVE_INT64, memory.get(), space.get(), H5P_DEFAULT, &value), 0);
    }
    const auto trace = MergedTrace::open(damaged);
    ASSERT_TRUE(trace) << trace.error().what;
    auto reader = trace->processor();
    if (!reader) {
      EXPECT_EQ(reader.error().code, Errc::damaged) << name;
      continue;
    }
    std::vector<MergedInterval> intervals;
    ProcessorCursor cursor{*reader, {}};
    const auto has_rows = cursor.next(intervals);
    ASSERT_FALSE(has_rows) << name;
    EXPECT_EQ(has_rows.error().code, Errc::damaged) << name;
  }
}

TEST_F(RunWithoutProcessors, AQueryHasTheIntervalsWithTheirStates) {
  store_both();
  const MergedTrace trace = merged();
  const QueryTrace source{trace};
  const auto table = std::ranges::find(query_tables(), "processor", &QueryTable::name);
  ASSERT_NE(table, query_tables().end());
  const auto rows_of = table->open(source, {.from_ns = 900 + zero_ns, .ranks = std::vector<std::int32_t>{0}});
  ASSERT_TRUE(rows_of) << rows_of.error().what;
  std::vector<std::string> found;
  while (*(*rows_of)->next())
    for (const QueryColumn& column : table->columns) {
      const ColumnValue value = value_of(column.column, (*rows_of)->row());
      if (const auto* const text = std::get_if<std::string>(&value)) found.push_back(*text);
    }
  EXPECT_THAT(found, ElementsAre("slept", "ready"));
}

TEST_F(RunWithoutProcessors, AnEditKeepsTheIntervalsAmongRemainingEvents) {
  store_both();
  const MergedTrace trace = merged();
  auto choice = EventChoice::make(trace, {.ranks = {{1, 1}}}, run.merged().parent_path(), {});
  ASSERT_TRUE(choice) << choice.error().what;
  SelectEvents edit{*std::move(choice)};
  const auto stored = StoredTrace::open(run.merged());
  ASSERT_TRUE(stored) << stored.error().what;
  const auto output = run.directory / "cut.h5";
  const auto counts = write_edit(*stored, output, edit, {.description = "filter"});
  ASSERT_TRUE(counts) << counts.error().what;
  const auto cut = MergedTrace::open(output);
  ASSERT_TRUE(cut) << cut.error().what;
  EXPECT_THAT(rows(*cut), ElementsAre("1.0 1100..1500 400 ready 1"));  // rank 0 keeps the barrier, from 1000 on
}

}  // namespace
}  // namespace meridian::test
