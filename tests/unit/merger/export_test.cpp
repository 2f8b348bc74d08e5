// SPDX-License-Identifier: Apache-2.0
// Exports of merged traces.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <fstream>

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
using ::testing::HasSubstr;

Status write(const ExportFormat& format, const fs::path& merged, ExportSink& sink) {
  MERIDIAN_TRY(const MergedTrace trace, MergedTrace::open(merged));
  MERIDIAN_TRY_DO(format.write(trace, sink, {}));
  return sink.finish();
}

void compare_csv(const fs::path& merged, const fs::path& directory) {
  run_python(MERIDIAN_PYTHON_H5PY, {MERIDIAN_CHECK_EXPORT, merged, directory});
}

TEST(CsvExport, HoldsEveryEventMessageAndParticipant) {
  const TempDir directory;
  write_halo(directory.path(), 4, 300);
  ASSERT_TRUE(merge(directory.path()));
  const fs::path output = directory / "csv";
  const Status status = write(export_formats().front(), directory / "merged.h5", *directory_sink(output, false));
  ASSERT_TRUE(status) << status.error().what;
  compare_csv(directory / "merged.h5", output);
}

TEST(CsvExport, QuotesNamesAndMakesFormulasHarmless) {
  EXPECT_EQ(csv_cell("MPI_COMM_WORLD"), "MPI_COMM_WORLD");
  EXPECT_EQ(csv_cell("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_cell("say \"a\"\n"), "\"say \"\"a\"\"\n\"");
  EXPECT_EQ(csv_cell("=cmd|' /C calc'!A0"), "'=cmd|' /C calc'!A0");
  EXPECT_EQ(csv_cell("+1"), "'+1");
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
  ASSERT_TRUE(write(export_formats().front(), run.merged(), *directory_sink(output / "out", false)));
  compare_csv(run.merged(), output / "out");
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
