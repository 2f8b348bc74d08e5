// SPDX-License-Identifier: Apache-2.0
// Exports of merged traces.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "choice/row_bits.hpp"
#include "choice/selection.hpp"
#include "export/csv.hpp"
#include "export/formats.hpp"
#include "export/sink.hpp"
#include "merged/merged_trace.hpp"
#include "synthetic_patterns.hpp"
#include "synthetic_trace.hpp"
#include "tests/support/run_python.hpp"

namespace meridian::test {
namespace {

namespace fs = std::filesystem;

Status write(const ExportFormat& format, const fs::path& merged, ExportSink& sink) {
  MERIDIAN_TRY(const MergedTrace trace, MergedTrace::open(merged));
  ExportSource source{trace};
  MERIDIAN_TRY_DO(format.write(source, sink));
  return sink.finish();
}

const ExportFormat& format_named(std::string_view name) {
  for (const ExportFormat& format : export_formats())
    if (format.name == name) return format;
  throw std::runtime_error("there is no such format");
}

void compare_csv(const fs::path& merged, const fs::path& directory) {
  run_python(MERIDIAN_PYTHON_H5PY, {MERIDIAN_CHECK_EXPORT, merged, directory});
}

/// Every format with a timeline against the merged file.
void compare_timelines(const fs::path& merged) {
  for (const ExportFormat& format : export_formats()) {
    if (format.name == "csv" || format.name == "folded" || format.needs_rules) continue;
    const TempDir output;
    const fs::path directory = output / "out";
    const Status status = write(format, merged, *directory_sink(directory, false));
    if (!status && status.error().code == Errc::unsupported) continue;  // built without its library
    ASSERT_TRUE(status) << format.name << ": " << status.error().what;
    run_python(MERIDIAN_PYTHON_H5PY, {MERIDIAN_CHECK_TIMELINE, format.name, merged, directory});
  }
}

TEST(CsvExport, HoldsEveryEventMessageAndParticipant) {
  const TempDir directory;
  write_halo(directory.path(), 4, 300);
  ASSERT_TRUE(merge(directory.path()));
  const fs::path output = directory / "csv";
  const Status status = write(format_named("csv"), directory / "merged.h5", *directory_sink(output, false));
  ASSERT_TRUE(status) << status.error().what;
  compare_csv(directory / "merged.h5", output);
}

TEST(CsvExport, QuotesNamesAndMakesFormulasHarmless) {
  EXPECT_EQ(csv_cell("MPI_COMM_WORLD"), "MPI_COMM_WORLD");
  EXPECT_EQ(csv_cell("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_cell("say \"a\"\n"), "\"say \"\"a\"\"\n\"");
  EXPECT_EQ(csv_cell("=cmd|' /C calc'!A0"), "'=cmd|' /C calc'!A0");
  EXPECT_EQ(csv_cell("+1"), "'+1");
  EXPECT_EQ(csv_cell("a\xff, b"), "\"a\xef\xbf\xbd, b\"");
  EXPECT_EQ(csv_cell("-1"), "'-1");
  EXPECT_EQ(csv_cell("@sum(a,b)"), "\"'@sum(a,b)\"");
  EXPECT_EQ(csv_cell(""), "");
}

TEST(CsvExport, CarriesHostileNamesUnchanged) {
  SyntheticRun run{2};
  for (std::size_t r = 0; r < 2; ++r) {
    run[r].meta.texts.push_back({"comm.name", "=1+1,\"x\"\r\n", kWorld, 0});
    run[r]->collective(CallId::Barrier, {100, 200});
  }
  ASSERT_TRUE(run.merge());
  const TempDir output;
  ASSERT_TRUE(write(format_named("csv"), run.merged(), *directory_sink(output / "out", false)));
  compare_csv(run.merged(), output / "out");
}

TEST(TimelineExport, HoldsEveryCallMessageAndParticipant) {
  const TempDir directory;
  write_halo(directory.path(), 4, 300);
  ASSERT_TRUE(merge(directory.path()));
  compare_timelines(directory / "merged.h5");
}

TEST(TimelineExport, ShowsRanksOutsideOfTheTraceOnlyInGroups) {
  SyntheticRun run{3};
  for (std::size_t r = 0; r < 3; ++r) run[r]->collective(CallId::Bcast, {100 * r + 100, 900}, 8, 8, 0);
  run[0]->send({1000, 1100}, 2, 7, 64);
  run[2]->receive({1050, 1200}, 0, 7, 64);
  run.ranks[0].write(run.directory / rank_file_name(0));
  run.ranks[2].write(run.directory / rank_file_name(2));
  const auto outcome = merge(run.directory.path(), {});
  ASSERT_TRUE(outcome) << outcome.error().what;
  compare_timelines(run.merged());
}

TEST(TimelineExport, CarriesHostileNames) {
  for (const char* const name :
       {"=1+1,\"x\"\r\n", "\"}],\\", "a\xff\xc3(b\xed\xa0\x80", "%EventDef 1 'x' \t\x1b[2J", ""}) {
    SyntheticRun run{2};
    for (std::size_t r = 0; r < 2; ++r) {
      run[r].meta.hostname = name;
      run[r].meta.texts.push_back({"comm.name", name, kWorld, 0});
      run[r]->collective(CallId::Barrier, {100, 200});
    }
    run[0]->send({300, 400}, 1, 1, 8);
    run[1]->receive({300, 500}, 0, 1, 8);
    ASSERT_TRUE(run.merge());
    compare_timelines(run.merged());
  }
}

TEST(TimelineExport, OfAnEmptyTraceIsValid) {
  SyntheticRun run{1};
  ASSERT_TRUE(run.merge());
  compare_timelines(run.merged());
}

TEST(TimelineExport, OfOtf2IsWrittenInPiecesWithoutATrace) {
  const TempDir directory;
  write_halo(directory.path(), 1, 7000);  // more than the library collects for a location
  ASSERT_TRUE(merge(directory.path()));
  const Status status = write(format_named("otf2"), directory / "merged.h5", *directory_sink(directory / "out", false));
  if (!status && status.error().code == Errc::unsupported) GTEST_SKIP() << status.error().what;
  ASSERT_TRUE(status) << status.error().what;
  ASSERT_GT(fs::file_size(directory / "out" / "traces" / "0.evt"), std::uintmax_t{2} << 20);
  run_python(MERIDIAN_PYTHON_H5PY, {MERIDIAN_CHECK_TIMELINE, "otf2", directory / "merged.h5", directory / "out"});
}

TEST(Selection, OfNamesIsAListOfPatternsOrOneName) {
  EXPECT_TRUE(matches_name("MPI_I*,MPI_Wait*", "MPI_Irecv"));
  EXPECT_TRUE(matches_name("MPI_I*,MPI_Wait*", "mpi_waitall"));
  EXPECT_FALSE(matches_name("MPI_I*,MPI_Wait*", "MPI_Send"));
  EXPECT_TRUE(matches_name("apply<int, 3>", "apply<int, 3>")) << "commas may be part of a name";
  EXPECT_FALSE(matches_name("MPI_Send,", "MPI_Recv"));
  EXPECT_FALSE(matches_name("", "MPI_Recv"));
}

TEST(TraceSelectionText, RanksAreNumbersAndRanges) {
  using Ranges = std::vector<std::pair<std::int32_t, std::int32_t>>;
  EXPECT_EQ(*parse_ranks("0"), (Ranges{{0, 0}}));
  EXPECT_EQ(*parse_ranks("0-3,7"), (Ranges{{0, 3}, {7, 7}}));
  EXPECT_EQ(*parse_ranks(" 5 , 2-2 "), (Ranges{{5, 5}, {2, 2}}));
  EXPECT_EQ(*parse_ranks("2147483647"), (Ranges{{2147483647, 2147483647}}));
  for (const char* const text : {"", ",", "-1", "3-1", "1-", "1-2-3", "a", "1a", "1,,2", "2147483648", "0x1"}) {
    const auto refused = parse_ranks(text);
    ASSERT_FALSE(refused) << text;
    EXPECT_EQ(refused.error().what, "'" + std::string{text} + "' is not a list of ranks");
  }
}

TEST(TraceSelectionText, TimesHaveUnits) {
  EXPECT_EQ(*parse_moment("1.5s"), 1'500'000'000);
  EXPECT_EQ(*parse_moment("2"), 2'000'000'000);
  EXPECT_EQ(*parse_moment("200 ms"), 200'000'000);
  EXPECT_EQ(*parse_moment("3us"), 3'000);
  EXPECT_EQ(*parse_moment("123456789012345ns"), 123'456'789'012'345);
  EXPECT_EQ(*parse_moment("2min"), 120'000'000'000);
  EXPECT_EQ(*parse_moment("0"), 0);
  for (const char* const text : {"", "s", "-1s", "1h", "1.5 s s", "nan", "inf", "1e300", "later"}) {
    const auto refused = parse_moment(text);
    ASSERT_FALSE(refused) << text;
    EXPECT_EQ(refused.error().what, "'" + std::string{text} + "' is not a time");
  }
}

TEST(RowBits, CountTheRowsThatAreSet) {
  const TempDir directory;
  auto made = RowBits::create(directory.path(), 130);
  ASSERT_TRUE(made) << made.error().what;
  RowBits& bits = *made;
  EXPECT_EQ(bits.count(), 0U);
  for (const std::uint64_t row : {0U, 63U, 64U, 129U, 129U}) bits.set(row);
  EXPECT_EQ(bits.count(), 4U);
  EXPECT_TRUE(bits.has(63) && bits.has(64) && bits.has(129));
  EXPECT_FALSE(bits.has(1) || bits.has(65) || bits.has(128));
}

TEST(ExportDirectory, LeavesNothingUnlessItIsFinished) {
  const TempDir directory;
  {
    const auto sink = directory_sink(directory / "out", false);
    ASSERT_TRUE(sink->begin("a.csv"));
    ASSERT_TRUE(sink->write("text"));
  }
  EXPECT_TRUE(fs::is_empty(directory / "out"));
}

TEST(ExportDirectory, LeavesNoFolderUnlessItIsFinished) {
  const TempDir directory;
  {
    const auto sink = directory_sink(directory / "out", false);
    const auto folder = sink->begin_folder({"a", "b"});
    ASSERT_TRUE(folder);
    std::ofstream{*folder / "a"} << "text";
  }
  EXPECT_TRUE(fs::is_empty(directory / "out"));
}

TEST(ExportDirectory, ReplacesAFolderOnlyWhenForced) {
  const TempDir directory;
  fs::create_directories(directory / "traces");
  std::ofstream{directory / "traces" / "mine"} << "mine";
  std::ofstream{directory / "other"} << "mine";
  const auto refused = directory_sink(directory.path(), false)->begin_folder({"traces"});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what, "'" + (directory / "traces").string() + "' exists");
  const auto forced = directory_sink(directory.path(), true);
  const auto folder = forced->begin_folder({"traces"});
  ASSERT_TRUE(folder);
  fs::create_directory(*folder / "traces");
  std::ofstream{*folder / "traces" / "new"} << "new";
  EXPECT_TRUE(fs::exists(directory / "traces" / "mine"));
  ASSERT_TRUE(forced->finish());
  EXPECT_TRUE(fs::exists(directory / "traces" / "new"));
  EXPECT_FALSE(fs::exists(directory / "traces" / "mine"));
  EXPECT_TRUE(fs::exists(directory / "other"));
  EXPECT_FALSE(fs::exists(*folder));
}

TEST(ExportDirectory, ReplacesFilesOnlyWhenForced) {
  const TempDir directory;
  std::ofstream{directory / "a.csv"} << "mine";
  const auto refused = directory_sink(directory.path(), false)->begin("a.csv");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what, "'" + (directory / "a.csv").string() + "' exists");
  const auto forced = directory_sink(directory.path(), true);
  ASSERT_TRUE(forced->begin("a.csv"));
  ASSERT_TRUE(forced->write("new"));
  ASSERT_TRUE(forced->finish());
  std::string content;
  std::ifstream{directory / "a.csv"} >> content;
  EXPECT_EQ(content, "new");
}

TEST(ExportStream, WritesTheFileThatIsWantedAlone) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  const auto sink = stream_sink(ends[1], "b.csv");
  const auto first = sink->begin("a.csv"), second = sink->begin("b.csv");
  ASSERT_TRUE(first && second);
  EXPECT_FALSE(*first);
  EXPECT_TRUE(*second);
  ASSERT_TRUE(sink->write("text"));
  ASSERT_TRUE(sink->finish());
  ::close(ends[1]);
  std::array<char, 16> read{};
  EXPECT_EQ(::read(ends[0], read.data(), read.size()), 4);
  ::close(ends[0]);
}

}  // namespace
}  // namespace meridian::test
