// SPDX-License-Identifier: Apache-2.0
// The memory of a rank over time in its rank file, valid and damaged.

#include "trace/format/rank/memory_table.hpp"

#include <gtest/gtest.h>
#include <hdf5.h>

#include "tests/support/temp_dir.hpp"
#include "trace/format/rank/rank_file.hpp"
#include "trace/format/tables/h5.hpp"

namespace meridian {
namespace {

using test::TempDir;

constexpr std::size_t kManyRows = 10'000;

class MemoryTables : public testing::Test {
 protected:
  void write(std::size_t rows) {
    auto file = RankFileWriter::create(path);
    ASSERT_TRUE(file) << file.error().what;
    MemoryTableWriter table{file->id()};
    for (std::size_t i = 0; i < rows; ++i) ASSERT_TRUE(table.push(row(i)));
    ASSERT_TRUE(table.finish());
    RankMeta meta;
    meta.rank = 3;
    meta.size = 4;
    meta.hostname = "host";
    meta.executable = "app";
    ASSERT_TRUE(file->finish(meta));
  }
  static MemoryRow row(std::size_t i) {
    return {1'000'000'000'000 + 31 * i, 4096 * (i % 100), 4096 * std::max<std::size_t>(i, 99), i % 7 * 4096, 3 * i, i};
  }
  Result<std::vector<MemoryRow>> read() {
    MERIDIAN_TRY(MemoryTable table, MemoryTable::open(path, ""));
    std::vector<MemoryRow> all;
    for (;;) {
      MERIDIAN_TRY(const auto rows, table.next());
      if (rows.empty()) return all;
      all.insert(all.end(), rows.begin(), rows.end());
    }
  }

  TempDir dir;
  std::filesystem::path path = dir / "rank-00003.h5";
};

TEST_F(MemoryTables, HaveWhatWasWritten) {
  write(kManyRows);
  const auto rows = read();
  ASSERT_TRUE(rows) << rows.error().what;
  ASSERT_EQ(rows->size(), kManyRows);
  for (std::size_t i = 0; i < kManyRows; ++i) ASSERT_EQ((*rows)[i], row(i)) << i;
}

TEST_F(MemoryTables, WithoutReadingsAreNotInTheFile) {
  write(0);
  const auto rows = read();
  ASSERT_TRUE(rows) << rows.error().what;
  EXPECT_TRUE(rows->empty());
  const h5::File file{H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT)};
  EXPECT_FALSE(h5::exists(file.get(), "memory"));
}

TEST_F(MemoryTables, WithMoreThanAProcessCanHaveAreDamaged) {
  for (const char* column : {"memory/resident_bytes", "memory/peak_bytes", "memory/swapped_bytes",
                             "memory/minor_faults", "memory/major_faults"}) {
    write(100);
    {
      const h5::File file{H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT)};
      const h5::Dataset data{H5Dopen2(file.get(), column, H5P_DEFAULT)};
      const h5::Space space{H5Dget_space(data.get())};
      const hsize_t one = 1, index = 51;
      const h5::Space memory{H5Screate_simple(1, &one, nullptr)};
      const std::uint64_t value = std::uint64_t{1} << 60;
      ASSERT_GE(H5Sselect_elements(space.get(), H5S_SELECT_SET, 1, &index), 0);
      ASSERT_GE(H5Dwrite(data.get(), H5T_NATIVE_UINT64, memory.get(), space.get(), H5P_DEFAULT, &value), 0);
    }
    const auto rows = read();
    ASSERT_FALSE(rows) << column;
    EXPECT_EQ(rows.error().code, Errc::damaged);
    EXPECT_EQ(rows.error().what,
              "the rank file contradicts itself: a reading of 'memory' has more than a process can have");
  }
}

TEST_F(MemoryTables, WithoutAColumnAreDamagedAndNameTheFile) {
  write(100);
  {
    const h5::File file{H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT)};
    ASSERT_GE(H5Ldelete(file.get(), "memory/swapped_bytes", H5P_DEFAULT), 0);
  }
  const auto rows = read();
  ASSERT_FALSE(rows);
  EXPECT_NE(rows.error().what.find(path.string()), std::string::npos) << rows.error().what;
  EXPECT_NE(rows.error().what.find("swapped_bytes"), std::string::npos) << rows.error().what;
}

TEST_F(MemoryTables, WithAnyByteDamagedAreReadOrRefused) {
  write(200);
  const std::vector<char> bytes = test::bytes_of(path);
  for (std::size_t at = 0; at < bytes.size(); at += 37) {
    std::vector<char> damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
    test::put_bytes(path, damaged);
    const auto rows = read();
    if (!rows) continue;
    for (const MemoryRow& row : *rows) ASSERT_TRUE(row.is_valid()) << at;
  }
}

}  // namespace
}  // namespace meridian
