// SPDX-License-Identifier: Apache-2.0
// The samples of a rank file, valid and damaged.

#include "trace/format/rank/sample_table.hpp"

#include <gtest/gtest.h>
#include <hdf5.h>

#include "tests/support/temp_dir.hpp"
#include "trace/format/tables/h5.hpp"

namespace meridian {
namespace {

using test::TempDir;

constexpr std::size_t kMany = 10'000;

class SampleTables : public testing::Test {
 protected:
  void write(std::size_t samples) {
    auto file = RankFileWriter::create(path);
    ASSERT_TRUE(file) << file.error().what;
    SampleTableWriter table{file->id()};
    for (std::size_t i = 0; i < samples; ++i) ASSERT_TRUE(table.push(row(i)));
    ASSERT_TRUE(table.finish({{}, {0, 0x1000}, {1, 0x2000}, {1, 0x3000}}));
    RankMeta meta;
    meta.rank = 3;
    meta.size = 4;
    meta.hostname = "host";
    meta.executable = "app";
    ASSERT_TRUE(file->finish(meta));
  }
  static SampleRow row(std::size_t i) {
    return {1'000'000 + 31 * i, static_cast<std::uint32_t>(i % 3), static_cast<std::uint32_t>(i % 4)};
  }
  /// Number of samples until the end; an error is a failure.
  std::size_t count() {
    auto table = SampleTable::open(path, "");
    EXPECT_TRUE(table) << table.error().what;
    std::size_t found = 0;
    for (;;) {
      const auto rows = table->next();
      EXPECT_TRUE(rows) << rows.error().what;
      if (!rows || rows->empty()) return found;
      for (const SampleRow& sample : *rows) {
        EXPECT_EQ(sample.ticks, row(found).ticks);
        EXPECT_EQ(sample.thread, row(found).thread);
        EXPECT_EQ(sample.stack, row(found).stack);
        ++found;
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
    auto table = SampleTable::open(path, "");
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

TEST_F(SampleTables, HaveWhatWasWritten) {
  write(kMany);
  EXPECT_EQ(count(), kMany);
  const auto table = SampleTable::open(path, "");
  ASSERT_EQ(table->stacks().size(), 4U);
  EXPECT_EQ(table->stacks()[3].parent, 1U);
  EXPECT_EQ(table->stacks()[3].address, 0x3000U);
}

TEST_F(SampleTables, WithoutSamplesAreNotInTheFile) {
  write(0);
  EXPECT_EQ(count(), 0U);
  const h5::File file{H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT)};
  EXPECT_FALSE(h5::exists(file.get(), "samples"));
  EXPECT_FALSE(h5::exists(file.get(), "sample_stacks"));
}

TEST_F(SampleTables, DoNotDisturbTheEvents) {
  write(kMany);
  const auto file = RankFile::open(path);
  ASSERT_TRUE(file) << file.error().what;
  EXPECT_EQ(file->meta().rank, 3);
  EXPECT_TRUE(file->meta().unreadable.empty());
}

TEST_F(SampleTables, OfAStackThatIsNotThereAreDamaged) {
  write(100);
  change("samples/stack", 50, 4);
  expect_damage("a stack that is not in 'sample_stacks'");
}

TEST_F(SampleTables, WithAParentThatIsNotBeforeItAreDamaged) {
  write(100);
  change("sample_stacks/parent", 2, 3);
  expect_damage("a parent that is not before it");
}

TEST_F(SampleTables, WithoutStacksAreDamaged) {
  write(100);
  {
    const h5::File file{H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT)};
    ASSERT_GE(H5Ldelete(file.get(), "sample_stacks", H5P_DEFAULT), 0);
  }
  const auto table = SampleTable::open(path, "");
  ASSERT_FALSE(table);
  EXPECT_NE(table.error().what.find(path.string()), std::string::npos) << table.error().what;
}

TEST_F(SampleTables, WhoseColumnsDifferInLengthAreDamaged) {
  write(100);
  {
    const h5::File file{H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT)};
    ASSERT_GE(H5Ldelete(file.get(), "samples/thread", H5P_DEFAULT), 0);
    const hsize_t few = 7;
    const h5::Space space{H5Screate_simple(1, &few, nullptr)};
    const h5::Dataset data{H5Dcreate2(file.get(), "samples/thread", H5T_NATIVE_UINT32, space.get(), H5P_DEFAULT,
                                      H5P_DEFAULT, H5P_DEFAULT)};
    ASSERT_TRUE(data);
  }
  expect_damage("another length");
}

TEST_F(SampleTables, OfACutFileAreAnError) {
  write(kMany);
  const std::vector<char> bytes = test::bytes_of(path);
  for (std::size_t i = 0; i < 40; ++i) {
    test::put_bytes(path, {bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(bytes.size() * i / 40)});
    EXPECT_FALSE(SampleTable::open(path, "")) << i;
  }
}

TEST_F(SampleTables, WithAnyByteDamagedAreReadOrRefused) {
  write(200);
  const std::vector<char> bytes = test::bytes_of(path);
  for (std::size_t at = 0; at < bytes.size(); at += 37) {
    std::vector<char> damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
    test::put_bytes(path, damaged);
    auto table = SampleTable::open(path, "");
    while (table) {
      const auto rows = table->next();
      if (!rows || rows->empty()) break;
      for (const SampleRow& sample : *rows) ASSERT_LT(sample.stack, table->stacks().size()) << at;
    }
  }
}

}  // namespace
}  // namespace meridian
