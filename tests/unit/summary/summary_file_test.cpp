// SPDX-License-Identifier: Apache-2.0
#include "summary/summary_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>

#include "cli/summary/json.hpp"
#include "merged/merged_trace.hpp"
#include "tests/unit/summary/sample_summaries.hpp"
#include "trace/format/tables/column.hpp"
#include "trace/format/tables/h5.hpp"

namespace meridian {
namespace {

using testing::HasSubstr;

// After damaged files HDF5 may not get to an end when it cleans up at exit.
const herr_t kNoCleanup = H5dont_atexit();

class SummaryFile : public testing::Test {
 protected:
  SummaryFile() : directory_{testing::TempDir() + "summary_file_" + std::to_string(::getpid())} {
    std::filesystem::create_directories(directory_);
  }
  ~SummaryFile() override { std::filesystem::remove_all(directory_); }

  std::filesystem::path path() const { return directory_ / "merged.h5"; }

  std::string quoted_path() const { return std::string{"'"}.append(path().string()).append("'"); }

  /// A file with this summary, changed by `damage` before it is closed.
  void write(
      const Summary& summary, const std::function<void(hid_t)>& damage = [](hid_t) {}) const {
    auto file = h5::create_file(path());
    ASSERT_TRUE(file);
    const Status written = write_summary(file->get(), summary);
    ASSERT_TRUE(written) << written.error().what;
    damage(file->get());
    ASSERT_TRUE(h5::close_file(*file, path()));
  }

  std::string bytes() const {
    std::ifstream file{path(), std::ios::binary};
    return {std::istreambuf_iterator<char>{file}, {}};
  }
  void set_bytes(const std::string& bytes) const { std::ofstream{path(), std::ios::binary} << bytes; }

 private:
  std::filesystem::path directory_;
};

/// Replaces a column by one with these values.
void replace_column(hid_t file, const std::string& column, const std::vector<std::uint64_t>& values) {
  ASSERT_GE(H5Ldelete(file, column.c_str(), H5P_DEFAULT), 0);
  auto writer = ColumnWriter::create(file, column, ColumnType::u64);
  ASSERT_TRUE(writer);
  ASSERT_TRUE(writer->append(std::span<const std::uint64_t>{values}));
  ASSERT_TRUE(writer->finish());
}

TEST_F(SummaryFile, IsReadAsItWasWritten) {
  for (const Summary& summary : {samples::empty_run(), samples::one_rank(), samples::four_ranks(), samples::counted(),
                                 samples::ten_thousand_ranks(), samples::hostile()}) {
    write(summary);
    const auto read = MergedTrace::read_summary(path());
    ASSERT_TRUE(read) << read.error().what;
    EXPECT_EQ(summary_json(*read), summary_json(summary));
    EXPECT_EQ(read->run.executable, summary.run.executable);
    EXPECT_EQ(read->run.mpi_library, summary.run.mpi_library);
  }
}

TEST_F(SummaryFile, IsTheSameBytesForTheSameSummary) {
  write(samples::four_ranks());
  const std::string first = bytes();
  write(samples::four_ranks());
  EXPECT_EQ(bytes(), first);
}

TEST_F(SummaryFile, OfTenThousandRanksTakesLessThanAQuarterOfAMebibyte) {
  write(samples::ten_thousand_ranks());
  EXPECT_LT(std::filesystem::file_size(path()), 262'144U);
}

TEST_F(SummaryFile, ThatIsMissingIsNotFound) {
  const auto read = MergedTrace::read_summary(path());
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, Errc::not_found);
}

TEST_F(SummaryFile, WithoutASummaryIsAnError) {
  write(samples::one_rank(), [](hid_t file) { H5Ldelete(file, "summary", H5P_DEFAULT); });
  const auto read = MergedTrace::read_summary(path());
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, Errc::not_found);
  EXPECT_EQ(read.error().what, quoted_path() + " has no summary");
}

TEST_F(SummaryFile, OfALaterVersionIsUnsupported) {
  write(samples::one_rank(), [](hid_t file) {
    H5Adelete_by_name(file, "summary", "version", H5P_DEFAULT);
    const auto group = h5::open_group(file, "summary");
    ASSERT_TRUE(h5::write_attribute(group->get(), "version", 2));
  });
  const auto read = MergedTrace::read_summary(path());
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, Errc::unsupported);
  EXPECT_EQ(read.error().what, quoted_path() + " has a summary of version 2, this program reads version 1");
}

TEST_F(SummaryFile, OfAnotherProgramIsRefused) {
  write(samples::one_rank(), [](hid_t file) { H5Adelete_by_name(file, "summary", "schema", H5P_DEFAULT); });
  const auto read = MergedTrace::read_summary(path());
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().what, HasSubstr("that is not Meridian's"));
}

TEST_F(SummaryFile, WithAMissingTableIsRefused) {
  for (const char* table :
       {"run", "ranks", "functions", "sites", "messages", "pairs", "clocks", "clock_ranks", "clock_models", "reversed",
        "regions", "user_events", "user_messages", "passed", "overhead", "findings"}) {
    write(samples::four_ranks(),
          [&](hid_t file) { H5Ldelete(file, (std::string{"summary/"} + table).c_str(), H5P_DEFAULT); });
    EXPECT_FALSE(MergedTrace::read_summary(path())) << table;
  }
}

TEST_F(SummaryFile, WithoutAnOptionalTableHasNoRowsOfIt) {
  write(samples::counted(), [](hid_t file) { H5Ldelete(file, "summary/counters", H5P_DEFAULT); });
  const auto read = MergedTrace::read_summary(path());
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_TRUE(read->counters.empty());
  EXPECT_FALSE(read->metrics.empty());
}

TEST_F(SummaryFile, WithAMissingColumnIsRefused) {
  write(samples::four_ranks(), [](hid_t file) { H5Ldelete(file, "summary/functions/mean_s", H5P_DEFAULT); });
  EXPECT_FALSE(MergedTrace::read_summary(path()));
}

TEST_F(SummaryFile, WithAColumnOfAnotherLengthIsRefused) {
  write(samples::four_ranks(), [](hid_t file) { replace_column(file, "summary/ranks/calls", {1, 2, 3}); });
  const auto read = MergedTrace::read_summary(path());
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, Errc::damaged);
  EXPECT_THAT(read.error().what, HasSubstr("column 'calls'"));
}

TEST_F(SummaryFile, WithTwoRowsForTheRunIsRefused) {
  write(samples::four_ranks(), [](hid_t file) { replace_column(file, "summary/reversed/before", {1, 2}); });
  EXPECT_FALSE(MergedTrace::read_summary(path()));
}

TEST_F(SummaryFile, OfAMergedFileOfAnotherVersionIsRefused) {
  for (const int version : {2, 99}) {
    write(samples::one_rank(), [&](hid_t file) {
      ASSERT_TRUE(h5::write_attribute(file, "schema", std::string_view{"meridian-merged"}));
      ASSERT_TRUE(h5::write_attribute(file, "version", version));
    });
    const auto read = MergedTrace::read_summary(path());
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, Errc::unsupported);
    EXPECT_THAT(read.error().what, HasSubstr("it has version " + std::to_string(version)));
  }
  write(samples::one_rank(),
        [](hid_t file) { ASSERT_TRUE(h5::write_attribute(file, "schema", std::string_view{"meridian-rank"})); });
  EXPECT_THAT(MergedTrace::read_summary(path()).error().what, HasSubstr("this is not a merged file"));
}

TEST_F(SummaryFile, WithARankOnAMissingClockIsRefused) {
  write(samples::four_ranks(), [](hid_t file) { replace_column(file, "summary/clock_ranks/clock", {0, 0, 1, 2}); });
  const auto read = MergedTrace::read_summary(path());
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().what, HasSubstr("'clock_ranks' names a row that is not there"));
}

TEST_F(SummaryFile, WithAnUnknownSeverityIsRefused) {
  write(samples::four_ranks(), [](hid_t file) { replace_column(file, "summary/findings/severity", {2, 3}); });
  EXPECT_FALSE(MergedTrace::read_summary(path()));
}

TEST_F(SummaryFile, ThatClaimsMoreRowsThanItCanHoldIsRefusedWithoutMemoryForThem) {
  write(samples::one_rank(), [](hid_t file) {
    // A dataset of 2^40 elements of which none is stored.
    for (const char* column : {"source", "dest", "messages", "bytes"}) {
      const std::string name = std::string{"summary/pairs/"} + column;
      H5Ldelete(file, name.c_str(), H5P_DEFAULT);
      const hsize_t length = hsize_t{1} << 40;
      const hsize_t chunk = 65536;
      const h5::Space space{H5Screate_simple(1, &length, nullptr)};
      const h5::Properties properties = h5::dataset_properties();
      H5Pset_chunk(properties.get(), 1, &chunk);
      const h5::Dataset dataset{
          H5Dcreate2(file, name.c_str(), H5T_STD_I32LE, space.get(), H5P_DEFAULT, properties.get(), H5P_DEFAULT)};
      ASSERT_TRUE(dataset);
    }
  });
  const auto read = MergedTrace::read_summary(path());
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, Errc::damaged);
}

TEST_F(SummaryFile, CutOffAnywhereIsAnErrorAndNoCrash) {
  write(samples::four_ranks());
  const std::string whole = bytes();
  for (std::size_t length = 0; length < whole.size(); length += 397) {
    set_bytes(whole.substr(0, length));
    EXPECT_FALSE(MergedTrace::read_summary(path())) << length;
  }
}

TEST_F(SummaryFile, WithAFlippedByteIsAnErrorOrTheSameAndNeverACrash) {
  write(samples::four_ranks());
  const std::string whole = bytes();
  for (std::size_t at = 0; at < whole.size(); at += 241) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << (at % 8)));
    set_bytes(damaged);
    const auto read = MergedTrace::read_summary(path());
    if (read) {
      EXPECT_FALSE(summary_json(*read).empty());
    }
    ASSERT_EQ(H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL), 0) << at;
  }
}

}  // namespace
}  // namespace meridian
