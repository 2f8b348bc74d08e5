// SPDX-License-Identifier: Apache-2.0
// All tables of a file are read, and what is damaged is named by its rows.

#include "trace/format/tables/verify_file.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <numeric>

#include "tests/support/temp_dir.hpp"
#include "trace/format/tables/h5.hpp"

namespace meridian::h5 {
namespace {

using meridian::test::TempDir;

constexpr hsize_t kRows = 1000, kChunk = 100;

/// A file with /group/values of 10 chunks, and a small table.
void write(const std::filesystem::path& path, void (*change)(hid_t creation) = nullptr) {
  auto file = create_file(path);
  ASSERT_TRUE(file);
  const Properties creation{H5Pcreate(H5P_DATASET_CREATE)};
  H5Pset_chunk(creation.get(), 1, &kChunk);
  if (change != nullptr) change(creation.get());
  H5Pset_shuffle(creation.get());
  H5Pset_deflate(creation.get(), 6);
  std::vector<std::int64_t> values(kRows);
  std::iota(values.begin(), values.end(), 7);
  const Space space{H5Screate_simple(1, &kRows, nullptr)};
  const Properties links = link_properties(file->get(), "group/values");
  const Dataset dataset{
      H5Dcreate2(file->get(), "group/values", H5T_STD_I64LE, space.get(), links.get(), creation.get(), H5P_DEFAULT)};
  ASSERT_TRUE(dataset);
  ASSERT_GE(H5Dwrite(dataset.get(), H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
  const hsize_t few = 3;
  const Space small{H5Screate_simple(1, &few, nullptr)};
  const Dataset plain{
      H5Dcreate2(file->get(), "small", H5T_STD_I64LE, small.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)};
  ASSERT_GE(H5Dwrite(plain.get(), H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
}

/// Changes a byte in the middle of the chunk that begins with row `first`.
void damage_chunk(const std::filesystem::path& path, hsize_t first) {
  haddr_t address = 0;
  hsize_t bytes = 0;
  {
    const auto file = open_read_only(path);
    ASSERT_TRUE(file);
    const Dataset dataset{H5Dopen2(file->get(), "group/values", H5P_DEFAULT)};
    unsigned skipped = 0;
    ASSERT_GE(H5Dget_chunk_info_by_coord(dataset.get(), &first, &skipped, &address, &bytes), 0);
  }
  std::fstream file{path, std::ios::in | std::ios::out | std::ios::binary};
  const auto at = static_cast<std::streamoff>(address + bytes / 2);
  file.seekg(at);
  const char byte = static_cast<char>(file.get() ^ 0x10);
  file.seekp(at);
  file.put(byte);
}

FileCheck check(const std::filesystem::path& path) {
  const auto found = verify_file(path, [](double share) { EXPECT_GE(share, 0); });
  EXPECT_TRUE(found) << found.error().what;
  return found ? *found : FileCheck{};
}

TEST(VerifyFile, ReadsEachChunkOfEachTable) {
  const TempDir dir;
  write(dir / "a.h5");
  const FileCheck found = check(dir / "a.h5");
  EXPECT_EQ(found.tables, 2U);
  EXPECT_EQ(found.chunks, 10U);
  EXPECT_GT(found.bytes, 24U);
  EXPECT_TRUE(found.damaged.empty());
}

TEST(VerifyFile, NamesTheRowsOfEachDamagedChunk) {
  const TempDir dir;
  for (const hsize_t first : {0U, 300U, 900U}) {
    write(dir / "a.h5");
    damage_chunk(dir / "a.h5", first);
    const FileCheck found = check(dir / "a.h5");
    ASSERT_EQ(found.damaged.size(), 1U) << first;
    EXPECT_EQ(found.damaged[0].table, "/group/values");
    EXPECT_EQ(found.damaged[0].first, first);
    EXPECT_EQ(found.damaged[0].count, 100U);
    EXPECT_EQ(found.damaged[0].reason, "they do not decompress to what their checksum says");
    EXPECT_EQ(found.chunks, 10U);
  }
}

TEST(VerifyFile, CombinesDamagedChunksThatFollowEachOther) {
  const TempDir dir;
  write(dir / "a.h5");
  for (const hsize_t first : {200U, 300U, 500U}) damage_chunk(dir / "a.h5", first);
  const FileCheck found = check(dir / "a.h5");
  ASSERT_EQ(found.damaged.size(), 2U);
  EXPECT_EQ(found.damaged[0].first, 200U);
  EXPECT_EQ(found.damaged[0].count, 200U);
  EXPECT_EQ(found.damaged[1].first, 500U);
  EXPECT_EQ(found.damaged[1].count, 100U);
}

TEST(VerifyFile, NamesTablesWhoseFiltersAreNotRead) {
  const TempDir dir;
  write(dir / "a.h5", [](hid_t creation) { H5Pset_nbit(creation); });
  const FileCheck found = check(dir / "a.h5");
  ASSERT_EQ(found.damaged.size(), 1U);
  EXPECT_EQ(found.damaged[0].table, "/group/values");
  EXPECT_EQ(found.damaged[0].reason, "it has passed HDF5's filter 5; shuffle, deflate and fletcher32 are read");
}

TEST(VerifyFile, ThatEndsEarlyOrIsNoneIsAnError) {
  const TempDir dir;
  write(dir / "a.h5");
  std::filesystem::resize_file(dir / "a.h5", std::filesystem::file_size(dir / "a.h5") / 2);
  const auto cut = verify_file(dir / "a.h5", [](double) {});
  ASSERT_FALSE(cut);
  EXPECT_EQ(cut.error().code, Errc::damaged);
  const auto none = verify_file(dir / "b.h5", [](double) {});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, Errc::not_found);
}

}  // namespace
}  // namespace meridian::h5
