// SPDX-License-Identifier: Apache-2.0
// Columns from other programs: other layouts, filters, byte orders, and columns that cannot be read.

#include <gtest/gtest.h>

#include <numeric>

#include "tests/support/temp_dir.hpp"
#include "trace/format/tables/column.hpp"

namespace meridian {
namespace {

using test::TempDir;

struct Foreign {
  hid_t type = H5T_STD_I32LE;
  hsize_t chunk = 0;  // 0: contiguous
  bool shuffle = false;
  bool deflate = false;
  bool checksum = false;
  int other = 0;  // a further filter
};

std::vector<std::int32_t> numbers(std::size_t count) {
  std::vector<std::int32_t> values(count);
  std::iota(values.begin(), values.end(), -50);
  return values;
}

void write(const std::filesystem::path& path, const Foreign& how, const std::vector<std::int32_t>& values) {
  const h5::File file{H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)};
  const h5::Properties creation{H5Pcreate(H5P_DATASET_CREATE)};
  if (how.chunk != 0) H5Pset_chunk(creation.get(), 1, &how.chunk);
  if (how.checksum) H5Pset_fletcher32(creation.get());
  if (how.shuffle) H5Pset_shuffle(creation.get());
  if (how.deflate) H5Pset_deflate(creation.get(), 6);
  if (how.other == H5Z_FILTER_NBIT) H5Pset_nbit(creation.get());
  if (how.other == H5Z_FILTER_SCALEOFFSET) H5Pset_scaleoffset(creation.get(), H5Z_SO_INT, 0);
  const hsize_t rows = values.size();
  const h5::Space space{H5Screate_simple(1, &rows, nullptr)};
  const h5::Dataset dataset{
      H5Dcreate2(file.get(), "values", how.type, space.get(), H5P_DEFAULT, creation.get(), H5P_DEFAULT)};
  ASSERT_TRUE(dataset);
  ASSERT_GE(H5Dwrite(dataset.get(), H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
}

template <class T>
Status read(const std::filesystem::path& path, std::vector<T>& values) {
  MERIDIAN_TRY(const h5::File file, h5::open_read_only(path));
  MERIDIAN_TRY(ColumnReader column, ColumnReader::open(file.get(), "values"));
  values.resize(column.size());
  return column.read(0, std::span{values});
}

TEST(ForeignColumn, IsReadWhateverItsLayoutAndTheOrderOfFilters) {
  const TempDir dir;
  const auto expected = numbers(5000);
  for (const hid_t type : {H5T_STD_I32LE, H5T_STD_I32BE, H5T_STD_I16LE, H5T_STD_I64BE})
    for (const hsize_t chunk : {0u, 1u, 77u, 5000u})
      for (const int filters : {0, 1, 2, 3, 4, 7}) {
        if (chunk == 0 && filters != 0) continue;
        write(dir / "a.h5", {type, chunk, (filters & 1) != 0, (filters & 2) != 0, (filters & 4) != 0}, expected);
        std::vector<std::int64_t> values;
        const Status status = read(dir / "a.h5", values);
        ASSERT_TRUE(status) << status.error().what;
        EXPECT_TRUE(std::equal(values.begin(), values.end(), expected.begin(), expected.end()));
      }
}

TEST(ForeignColumn, ThatHasPassedAnotherFilterIsAnError) {
  const TempDir dir;
  for (const int filter : {H5Z_FILTER_NBIT, H5Z_FILTER_SCALEOFFSET}) {
    Foreign how{.chunk = 77};
    how.other = filter;
    write(dir / "a.h5", how, numbers(500));
    std::vector<std::int32_t> values;
    const Status status = read(dir / "a.h5", values);
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().what, "cannot read column 'values': it has passed HDF5's filter " +
                                       std::to_string(filter) + "; shuffle, deflate and fletcher32 are read");
  }
}

TEST(ForeignColumn, OfIntegersIsReadAsDoubles) {
  const TempDir dir;
  const auto expected = numbers(300);
  write(dir / "a.h5", {}, expected);
  std::vector<double> values;
  ASSERT_TRUE(read(dir / "a.h5", values));
  EXPECT_TRUE(std::equal(values.begin(), values.end(), expected.begin(), expected.end()));
}

TEST(ForeignColumn, OfDoublesIsNotReadAsIntegers) {
  const TempDir dir;
  write(dir / "a.h5", {.type = H5T_IEEE_F32LE}, numbers(10));
  std::vector<std::int32_t> values;
  const Status status = read(dir / "a.h5", values);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().what, "cannot read column 'values': its elements are not integers");
  std::vector<double> doubles;
  ASSERT_TRUE(read(dir / "a.h5", doubles));
  EXPECT_EQ(doubles[3], -47.0);
}

Error error_for(const std::filesystem::path& path) {
  std::vector<std::int32_t> values;
  Status status = read(path, values);
  EXPECT_FALSE(status);
  return status ? Error{} : status.error();
}

TEST(ForeignColumn, WithTwoDimensionsIsAnError) {
  const TempDir dir;
  {
    const h5::File file{H5Fcreate((dir / "a.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)};
    const hsize_t extent[2] = {3, 4};
    const h5::Space space{H5Screate_simple(2, extent, nullptr)};
    const h5::Dataset dataset{
        H5Dcreate2(file.get(), "values", H5T_STD_I32LE, space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)};
  }
  EXPECT_EQ(error_for(dir / "a.h5").what, "cannot read column 'values': it is not one-dimensional");
}

TEST(ForeignColumn, ThatIsAGroupOrOfStringsIsAnError) {
  const TempDir dir;
  {
    const h5::File file{H5Fcreate((dir / "a.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)};
    const h5::Group group{H5Gcreate2(file.get(), "values", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)};
  }
  EXPECT_EQ(error_for(dir / "a.h5").code, Errc::damaged);
  {
    const h5::File file{H5Fcreate((dir / "b.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)};
    const hsize_t rows = 2;
    const h5::Space space{H5Screate_simple(1, &rows, nullptr)};
    const h5::Dataset dataset{
        H5Dcreate2(file.get(), "values", H5T_C_S1, space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)};
  }
  EXPECT_EQ(error_for(dir / "b.h5").what, "cannot read column 'values': its elements are not numbers");
}

TEST(ForeignColumn, WithHugeChunksIsAnErrorAndNoAllocation) {
  const TempDir dir;
  {
    const h5::File file{H5Fcreate((dir / "a.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)};
    const hsize_t rows = 1000, most = H5S_UNLIMITED, chunk = 1u << 30;
    const h5::Space space{H5Screate_simple(1, &rows, &most)};
    const h5::Properties creation{H5Pcreate(H5P_DATASET_CREATE)};
    H5Pset_chunk(creation.get(), 1, &chunk);
    const h5::Dataset dataset{
        H5Dcreate2(file.get(), "values", H5T_STD_U8LE, space.get(), H5P_DEFAULT, creation.get(), H5P_DEFAULT)};
    ASSERT_TRUE(dataset);
  }
  auto file = h5::open_read_only(dir / "a.h5");
  auto column = ColumnReader::open(file->get(), "values");
  ASSERT_FALSE(column);
  EXPECT_EQ(column.error().what, "cannot read column 'values': its chunks are larger than 8 MiB");
}

TEST(ForeignColumn, ThatClaimsMoreThanTheFileCanHoldIsAnError) {
  const TempDir dir;
  {
    const h5::File file{H5Fcreate((dir / "a.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)};
    const hsize_t rows = 1ull << 40;
    const h5::Space space{H5Screate_simple(1, &rows, nullptr)};
    const h5::Dataset dataset{
        H5Dcreate2(file.get(), "values", H5T_STD_U8LE, space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)};
    ASSERT_TRUE(dataset);
  }
  EXPECT_EQ(error_for(dir / "a.h5").what, "cannot read column 'values': it is longer than the file can hold");
}

TEST(ForeignColumn, BehindALinkToAnotherFileIsAnErrorAndTheFileIsNotOpened) {
  const TempDir dir;
  {
    const h5::File other{H5Fcreate((dir / "other.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)};
    const hsize_t rows = 10;
    const h5::Space space{H5Screate_simple(1, &rows, nullptr)};
    const h5::Dataset dataset{
        H5Dcreate2(other.get(), "values", H5T_STD_U8LE, space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)};
    const h5::File file{H5Fcreate((dir / "a.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)};
    ASSERT_TRUE(dataset);
    ASSERT_GE(H5Lcreate_external((dir / "other.h5").c_str(), "/values", file.get(), "values", H5P_DEFAULT, H5P_DEFAULT),
              0);
  }
  EXPECT_EQ(error_for(dir / "a.h5").what, "cannot read column 'values': traversal operator failed");
}

TEST(ForeignColumn, ThatIsAViewOfOtherFilesIsAnError) {
  const TempDir dir;
  {
    const h5::File file{H5Fcreate((dir / "a.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)};
    const hsize_t rows = 10;
    const h5::Space space{H5Screate_simple(1, &rows, nullptr)};
    const h5::Properties creation{H5Pcreate(H5P_DATASET_CREATE)};
    ASSERT_GE(H5Pset_virtual(creation.get(), space.get(), (dir / "other.h5").c_str(), "values", space.get()), 0);
    const h5::Dataset dataset{
        H5Dcreate2(file.get(), "values", H5T_STD_I32LE, space.get(), H5P_DEFAULT, creation.get(), H5P_DEFAULT)};
    ASSERT_TRUE(dataset);
  }
  EXPECT_EQ(error_for(dir / "a.h5").what, "cannot read column 'values': its data are in other files");
}

TEST(ForeignColumn, InAnotherFileIsAnError) {
  const TempDir dir;
  test::put_bytes(dir / "secret", std::vector<char>(40, 'x'));
  {
    const h5::File file{H5Fcreate((dir / "a.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)};
    const hsize_t rows = 10;
    const h5::Space space{H5Screate_simple(1, &rows, nullptr)};
    const h5::Properties creation{H5Pcreate(H5P_DATASET_CREATE)};
    H5Pset_external(creation.get(), (dir / "secret").c_str(), 0, 40);
    const h5::Dataset dataset{
        H5Dcreate2(file.get(), "values", H5T_STD_I32LE, space.get(), H5P_DEFAULT, creation.get(), H5P_DEFAULT)};
    ASSERT_TRUE(dataset);
  }
  EXPECT_EQ(error_for(dir / "a.h5").what, "cannot read column 'values': its data are in other files");
}

}  // namespace
}  // namespace meridian
