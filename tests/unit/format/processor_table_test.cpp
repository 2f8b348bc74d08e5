// SPDX-License-Identifier: Apache-2.0
// The intervals of a rank file in which threads had no processor, valid and damaged.

#include "trace/format/rank/processor_table.hpp"

#include <gtest/gtest.h>
#include <hdf5.h>

#include "tests/support/temp_dir.hpp"
#include "trace/format/rank/rank_file.hpp"
#include "trace/format/tables/h5.hpp"

namespace meridian {
namespace {

using test::TempDir;

constexpr std::size_t kManyIntervals = 10'000;

class ProcessorTables : public testing::Test {
 protected:
  void write(std::size_t intervals) {
    auto file = RankFileWriter::create(path);
    ASSERT_TRUE(file) << file.error().what;
    ProcessorTableWriter table{file->id()};
    for (std::size_t i = 0; i < intervals; ++i) ASSERT_TRUE(table.push(row(i)));
    ASSERT_TRUE(table.finish());
    RankMeta meta;
    meta.rank = 3;
    meta.size = 4;
    meta.hostname = "host";
    meta.executable = "app";
    ASSERT_TRUE(file->finish(meta));
  }
  static ProcessorRow row(std::size_t i) {
    const bool is_sum = i % 5 == 0;
    return {1'000'000'000'000 + 31 * i,        7 * i + 2,        is_sum ? i : 0,
            static_cast<std::uint32_t>(i % 3), is_sum ? 4U : 1U, i % 2 == 0};
  }
  std::size_t count() {
    auto table = ProcessorTable::open(path, "");
    EXPECT_TRUE(table) << table.error().what;
    std::size_t found = 0;
    for (;;) {
      const auto rows = table->next();
      EXPECT_TRUE(rows) << rows.error().what;
      if (!rows || rows->empty()) return found;
      for (const ProcessorRow& is : *rows) {
        const ProcessorRow was = row(found++);
        EXPECT_EQ(is.ticks, was.ticks);
        EXPECT_EQ(is.length, was.length);
        EXPECT_EQ(is.ran, was.ran);
        EXPECT_EQ(is.thread, was.thread);
        EXPECT_EQ(is.count, was.count);
        EXPECT_EQ(is.is_ready, was.is_ready);
      }
    }
  }
  /// Overwrites element `index` of a dataset.
  void change(const char* name, hsize_t index, std::uint64_t value) {
    const h5::File file{H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT)};
    const h5::Dataset data{H5Dopen2(file.get(), name, H5P_DEFAULT)};
    const h5::Space space{H5Dget_space(data.get())};
    const hsize_t one = 1;
    const h5::Space memory{H5Screate_simple(1, &one, nullptr)};
    ASSERT_GE(H5Sselect_elements(space.get(), H5S_SELECT_SET, 1, &index), 0);
    ASSERT_GE(H5Dwrite(data.get(), H5T_NATIVE_UINT64, memory.get(), space.get(), H5P_DEFAULT, &value), 0);
  }
  void expect_damage(const char* what) {
    auto table = ProcessorTable::open(path, "");
    if (!table) {
      EXPECT_EQ(table.error().code, Errc::damaged);
      EXPECT_NE(table.error().what.find(what), std::string::npos) << table.error().what;
      return;
    }
    const auto rows = table->next();
    ASSERT_FALSE(rows);
    EXPECT_EQ(rows.error().code, Errc::damaged);
    EXPECT_NE(rows.error().what.find(what), std::string::npos) << rows.error().what;
  }

  TempDir dir;
  std::filesystem::path path = dir / "rank-00003.h5";
};

TEST_F(ProcessorTables, HaveWhatWasWritten) {
  write(kManyIntervals);
  EXPECT_EQ(count(), kManyIntervals);
}

TEST_F(ProcessorTables, WithoutIntervalsAreNotInTheFile) {
  write(0);
  EXPECT_EQ(count(), 0U);
  const h5::File file{H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT)};
  EXPECT_FALSE(h5::exists(file.get(), "processor"));
}

TEST_F(ProcessorTables, DoNotDisturbTheEvents) {
  write(kManyIntervals);
  const auto file = RankFile::open(path);
  ASSERT_TRUE(file) << file.error().what;
  EXPECT_TRUE(file->meta().unreadable.empty());
}

TEST_F(ProcessorTables, WithAnIntervalOfNoPossibleLengthAreDamaged) {
  for (const auto& [column, value] : {std::pair{"processor/length", std::uint64_t{1} << 60},
                                      {"processor/ran", std::uint64_t{1} << 50},
                                      {"processor/ran", std::uint64_t{1}},
                                      {"processor/count", std::uint64_t{0}}}) {
    write(100);
    change(column, 51, value);
    expect_damage("an interval of 'processor' ends before it begins");
  }
}

TEST_F(ProcessorTables, WhoseColumnsDifferInLengthOrAreMissingAreDamaged) {
  write(100);
  {
    const h5::File file{H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT)};
    ASSERT_GE(H5Ldelete(file.get(), "processor/thread", H5P_DEFAULT), 0);
  }
  {
    const auto table = ProcessorTable::open(path, "");
    ASSERT_FALSE(table);
    EXPECT_NE(table.error().what.find(path.string()), std::string::npos) << table.error().what;
  }
  {
    const h5::File file{H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT)};
    const hsize_t few = 7;
    const h5::Space space{H5Screate_simple(1, &few, nullptr)};
    const h5::Dataset data{H5Dcreate2(file.get(), "processor/thread", H5T_NATIVE_UINT32, space.get(), H5P_DEFAULT,
                                      H5P_DEFAULT, H5P_DEFAULT)};
    ASSERT_TRUE(data);
  }
  expect_damage("another length");
}

TEST_F(ProcessorTables, WithAnyByteDamagedAreReadOrRefused) {
  write(200);
  const std::vector<char> bytes = test::bytes_of(path);
  for (std::size_t at = 0; at < bytes.size(); at += 37) {
    std::vector<char> damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
    test::put_bytes(path, damaged);
    auto table = ProcessorTable::open(path, "");
    while (table) {
      const auto rows = table->next();
      if (!rows || rows->empty()) break;
      for (const ProcessorRow& row : *rows) ASSERT_TRUE(row.is_valid()) << at;
    }
  }
}

}  // namespace
}  // namespace meridian
