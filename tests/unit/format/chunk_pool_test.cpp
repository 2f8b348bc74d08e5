// SPDX-License-Identifier: Apache-2.0
#include "trace/format/chunks/chunk_pool.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <random>

#include "tests/support/seed.hpp"
#include "tests/support/temp_dir.hpp"
#include "trace/format/chunks/chunk_codec.hpp"
#include "trace/format/tables/column.hpp"

namespace meridian {
namespace {

using test::TempDir;

constexpr std::size_t kRows = 20 * std::size_t{kColumnChunk} + 4321;

/// Values of three columns: one is hard to compress, one easy, one constant for some chunks.
struct Table {
  std::vector<std::int64_t> times;
  std::vector<std::int32_t> calls;
  std::vector<std::int64_t> rare;
};

const Table& table() {
  static const Table made = [] {
    std::mt19937_64 random{test::seeded(11)};
    Table t;
    for (std::size_t row = 0; row < kRows; ++row) {
      t.times.push_back(static_cast<std::int64_t>(random() % 5000));
      t.calls.push_back(static_cast<std::int32_t>(row % 9));
      t.rare.push_back(row / kColumnChunk % 3 == 0 ? static_cast<std::int64_t>(row) : 7);
    }
    return t;
  }();
  return made;
}

template <class T>
Status append(ColumnWriter& column, const std::vector<T>& values, std::size_t first) {
  const std::size_t count = std::min<std::size_t>(4096, values.size() - first);
  return column.append(std::span{values}.subspan(first, count));
}

/// Writes the table as a merge does: a piece of each column in turn.
void write(const std::filesystem::path& path, ChunkPool* pool) {
  auto file = h5::create_file(path);
  ASSERT_TRUE(file) << file.error().what;
  const ColumnParent parent{file->get(), pool};
  auto times = ColumnWriter::create(parent, "t/times", ColumnType::i64);
  auto calls = ColumnWriter::create(parent, "t/calls", ColumnType::i32, {.level = 3});
  auto rare = ColumnWriter::create(parent, "t/rare", ColumnType::i64);
  ASSERT_TRUE(times && calls && rare);
  for (std::size_t row = 0; row < kRows; row += 4096) {
    ASSERT_TRUE(append(*times, table().times, row));
    ASSERT_TRUE(append(*calls, table().calls, row));
    ASSERT_TRUE(append(*rare, table().rare, row));
  }
  for (ColumnWriter* column : {&*times, &*calls, &*rare}) ASSERT_TRUE(column->finish());
  if (pool != nullptr) {
    const Status drained = pool->drain();
    ASSERT_TRUE(drained) << drained.error().what;
  }
  ASSERT_TRUE(h5::close_file(*file, path));
}

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream in{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

/// Reads with HDF5's own pipeline.
template <class T>
std::vector<T> read_with_hdf5(const std::filesystem::path& path, const char* name, hid_t type) {
  const h5::File file{H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT)};
  const h5::Dataset dataset{H5Dopen2(file.get(), name, H5P_DEFAULT)};
  const h5::Space space{H5Dget_space(dataset.get())};
  std::vector<T> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space.get())));
  EXPECT_GE(H5Dread(dataset.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
  return values;
}

TEST(ChunkPool, WritesWhatWasAppendedForAnyNumberOfThreads) {
  const TempDir directory;
  for (const unsigned threads : {0U, 1U, 3U}) {
    const auto path = directory.path() / (std::to_string(threads) + ".h5");
    ChunkPool pool{threads};
    write(path, &pool);
    EXPECT_EQ(read_with_hdf5<std::int64_t>(path, "t/times", H5T_NATIVE_INT64), table().times) << threads;
    EXPECT_EQ(read_with_hdf5<std::int32_t>(path, "t/calls", H5T_NATIVE_INT32), table().calls) << threads;
    EXPECT_EQ(read_with_hdf5<std::int64_t>(path, "t/rare", H5T_NATIVE_INT64), table().rare) << threads;
  }
}

TEST(ChunkPool, GivesTheSameFileForAnyNumberOfThreads) {
  const TempDir directory;
  const auto written = [&](unsigned threads) {
    const auto path = directory.path() / "same.h5";
    ChunkPool pool{threads};
    write(path, &pool);
    return bytes_of(path);
  };
  const std::string alone = written(0);
  for (const unsigned threads : {1U, 2U, 3U, 3U}) EXPECT_TRUE(written(threads) == alone) << threads;
}

TEST(ChunkPool, ServesOneFileAfterAnother) {
  const TempDir directory;
  const auto first = directory.path() / "first.h5", second = directory.path() / "second.h5";
  ChunkPool pool{2};
  write(first, &pool);
  write(second, &pool);
  EXPECT_TRUE(bytes_of(first) == bytes_of(second));
}

TEST(ChunkPool, ThatEndsEarlyDropsWhatIsNotWritten) {
  const TempDir directory;
  auto file = h5::create_file(directory.path() / "dropped.h5");
  ASSERT_TRUE(file) << file.error().what;
  auto pool = std::make_unique<ChunkPool>(2);
  auto column = ColumnWriter::create({file->get(), pool.get()}, "times", ColumnType::i64);
  ASSERT_TRUE(column) << column.error().what;
  ASSERT_TRUE(column->append(std::span{table().times}));
  pool.reset();
  EXPECT_EQ(column->size(), kRows);
}

TEST(ChunkPool, ReportsTheColumnThatCannotBeWritten) {
  if (!has_own_deflate()) GTEST_SKIP() << "this build leaves compression to HDF5";
  ChunkPool pool{1};
  const PooledChunk chunk{.dataset = H5I_INVALID_HID,
                          .first = 0,
                          .values = std::vector<std::uint8_t>(64),
                          .rows = 8,
                          .coding = {.type = ColumnType::i64, .width = 8, .stride = 8},
                          .path = "events/call"};
  ASSERT_TRUE(pool.submit(chunk));  // written later
  const Status drained = pool.drain();
  ASSERT_FALSE(drained);
  EXPECT_EQ(drained.error().code, Errc::io);
  EXPECT_EQ(drained.error().what.substr(0, 33), "cannot write column 'events/call'");
}

}  // namespace
}  // namespace meridian
