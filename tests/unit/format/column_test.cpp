// SPDX-License-Identifier: Apache-2.0
#include "trace/format/tables/column.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <numeric>
#include <random>

#include "tests/support/seed.hpp"
#include "tests/support/temp_dir.hpp"

namespace meridian {
namespace {

using test::TempDir;

template <class T>
std::vector<T> noise(std::size_t count, std::uint64_t seed = 7) {
  std::mt19937_64 random{test::seeded(seed)};
  std::vector<T> values(count);
  for (T& value : values) value = static_cast<T>(random());
  return values;
}

template <class T>
void write(const std::filesystem::path& path, const std::vector<T>& values, const ColumnOptions& options = {},
           std::size_t piece = SIZE_MAX) {
  auto file = h5::create_file(path);
  ASSERT_TRUE(file) << file.error().what;
  auto column = ColumnWriter::create(file->get(), "values", column_type<T>, options);
  ASSERT_TRUE(column) << column.error().what;
  for (std::size_t at = 0; at < values.size(); at += std::min(piece, values.size() - at)) {
    const std::span part{values.data() + at, std::min(piece, values.size() - at)};
    ASSERT_TRUE(column->append(part));
  }
  EXPECT_EQ(column->size(), values.size());
  const Status finished = column->finish();
  ASSERT_TRUE(finished) << finished.error().what;
  ASSERT_TRUE(h5::close_file(*file, path));
}

template <class T>
std::vector<T> read(const std::filesystem::path& path) {
  auto file = h5::open_read_only(path);
  EXPECT_TRUE(file) << file.error().what;
  auto column = ColumnReader::open(file->get(), "values");
  EXPECT_TRUE(column) << column.error().what;
  std::vector<T> values(column->size());
  const Status status = column->read(0, std::span{values});
  EXPECT_TRUE(status) << status.error().what;
  return values;
}

// The independent way: HDF5's own pipeline, none of our decoding.
template <class T>
std::vector<T> read_with_hdf5(const std::filesystem::path& path, hid_t type) {
  const h5::File file{H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT)};
  const h5::Dataset dataset{H5Dopen2(file.get(), "values", H5P_DEFAULT)};
  const h5::Space space{H5Dget_space(dataset.get())};
  std::vector<T> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space.get())));
  EXPECT_GE(H5Dread(dataset.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
  return values;
}

std::size_t stored_width(const std::filesystem::path& path) {
  const h5::File file{H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT)};
  const h5::Dataset dataset{H5Dopen2(file.get(), "values", H5P_DEFAULT)};
  return H5Tget_size(h5::Type{H5Dget_type(dataset.get())}.get());
}

template <class T>
class EveryColumnType : public testing::Test {};
using Types = testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t,
                             std::int64_t, std::uint64_t, double>;
TYPED_TEST_SUITE(EveryColumnType, Types);

TYPED_TEST(EveryColumnType, ComesBackAsItWasWritten) {
  const TempDir dir;
  for (const std::size_t count :
       {0u, 1u, 31u, 1000u, kColumnChunk - 1, kColumnChunk, kColumnChunk + 1, 3 * kColumnChunk + 5})
    for (const bool is_narrow : {false, true}) {
      const auto values = noise<TypeParam>(count);
      write(dir / "a.h5", values, {.is_narrow = is_narrow}, 10'007);
      EXPECT_EQ(read<TypeParam>(dir / "a.h5"), values) << count;
    }
}

TYPED_TEST(EveryColumnType, IsReadAlikeByHdf5Itself) {
  const TempDir dir;
  const auto values = noise<TypeParam>(kColumnChunk + 4321);
  write(dir / "a.h5", values);
  const hid_t types[] = {H5T_NATIVE_INT8,   H5T_NATIVE_UINT8, H5T_NATIVE_INT16,  H5T_NATIVE_UINT16, H5T_NATIVE_INT32,
                         H5T_NATIVE_UINT32, H5T_NATIVE_INT64, H5T_NATIVE_UINT64, H5T_NATIVE_DOUBLE};
  EXPECT_EQ(read_with_hdf5<TypeParam>(dir / "a.h5", types[static_cast<int>(column_type<TypeParam>)]), values);
}

TYPED_TEST(EveryColumnType, GivesAnyRange) {
  const TempDir dir;
  const auto values = noise<TypeParam>(2 * kColumnChunk + 100);
  write(dir / "a.h5", values);
  auto file = h5::open_read_only(dir / "a.h5");
  auto column = ColumnReader::open(file->get(), "values");
  std::mt19937 random{test::seeded(3)};
  for (int i = 0; i < 200; ++i) {
    const std::size_t first = random() % values.size();
    std::vector<TypeParam> part(random() % (values.size() - first));
    ASSERT_TRUE(column->read(first, std::span{part}));
    ASSERT_TRUE(std::equal(part.begin(), part.end(), values.begin() + static_cast<std::ptrdiff_t>(first)));
  }
}

TEST(Column, WithOneValueThroughoutStoresNoChunk) {
  const TempDir dir;
  for (const std::size_t count : {1000u, 3 * kColumnChunk + 7}) {
    const std::vector<std::int64_t> values(count, -12345678901);
    write(dir / "a.h5", values, {.is_narrow = true});
    EXPECT_EQ(read<std::int64_t>(dir / "a.h5"), values);
    EXPECT_EQ(read_with_hdf5<std::int64_t>(dir / "a.h5", H5T_NATIVE_INT64), values);
    EXPECT_LT(std::filesystem::file_size(dir / "a.h5"), 1500u);
  }
}

TEST(Column, IsStoredInTheNarrowestTypeThatHoldsAllValues) {
  const TempDir dir;
  const auto width_with = [&](auto extreme) {
    std::vector<decltype(extreme)> values(3000);
    std::iota(values.begin(), values.end(), decltype(extreme){0});
    for (auto& value : values) value = static_cast<decltype(extreme)>(value % 100);
    values[1234] = extreme;
    write(dir / "a.h5", values, {.is_narrow = true});
    EXPECT_EQ(read<decltype(extreme)>(dir / "a.h5"), values);
    return stored_width(dir / "a.h5");
  };
  EXPECT_EQ(width_with(std::int64_t{127}), 1u);
  EXPECT_EQ(width_with(std::int64_t{128}), 2u);
  EXPECT_EQ(width_with(std::int64_t{-128}), 1u);
  EXPECT_EQ(width_with(std::int64_t{-129}), 2u);
  EXPECT_EQ(width_with(std::int64_t{32767}), 2u);
  EXPECT_EQ(width_with(std::int64_t{32768}), 4u);
  EXPECT_EQ(width_with(std::int64_t{std::numeric_limits<std::int32_t>::min()}), 4u);
  EXPECT_EQ(width_with(std::int64_t{std::numeric_limits<std::int32_t>::min()} - 1), 8u);
  EXPECT_EQ(width_with(std::numeric_limits<std::int64_t>::max()), 8u);
  EXPECT_EQ(width_with(std::uint64_t{255}), 1u);
  EXPECT_EQ(width_with(std::uint64_t{256}), 2u);
  EXPECT_EQ(width_with(std::uint64_t{65536}), 4u);
  EXPECT_EQ(width_with(std::uint64_t{1} << 32), 8u);
  EXPECT_EQ(width_with(std::uint32_t{1} << 31), 4u);
}

TEST(Column, BecomesWiderWhenALaterChunkNeedsIt) {
  const TempDir dir;
  std::vector<std::int64_t> values;
  for (const std::int64_t extreme : {5ll, -300ll, 70'000ll, -5'000'000'000ll, 3ll})
    for (std::size_t i = 0; i < kColumnChunk; ++i)
      values.push_back(i % 3 == 0 ? extreme : static_cast<std::int64_t>(i % 5));
  values.insert(values.end(), kColumnChunk, 0);  // a chunk that is not stored
  values.push_back(std::numeric_limits<std::int64_t>::min());
  write(dir / "a.h5", values, {.is_narrow = true});
  EXPECT_EQ(read<std::int64_t>(dir / "a.h5"), values);
  EXPECT_EQ(read_with_hdf5<std::int64_t>(dir / "a.h5", H5T_NATIVE_INT64), values);
  EXPECT_EQ(stored_width(dir / "a.h5"), 8u);
}

TEST(Column, OfAFewValuesCostsLittle) {
  const TempDir dir;
  write<std::uint64_t>(dir / "a.h5", {});
  const auto empty = std::filesystem::file_size(dir / "a.h5");
  write<std::uint64_t>(dir / "a.h5", {1, 2, 3});
  EXPECT_LT(std::filesystem::file_size(dir / "a.h5"), empty + 64);
  write<std::uint64_t>(dir / "a.h5", noise<std::uint64_t>(100));
  EXPECT_LT(std::filesystem::file_size(dir / "a.h5"), empty + 800 + 600);
}

TEST(Column, WithoutElementsIsLeftOutOnRequest) {
  const TempDir dir;
  write<std::uint32_t>(dir / "a.h5", {}, {.omit_empty = true});
  auto file = h5::open_read_only(dir / "a.h5");
  auto column = ColumnReader::open(file->get(), "values");
  ASSERT_FALSE(column);
  EXPECT_EQ(column.error().code, Errc::not_found);
  EXPECT_EQ(column.error().what, "there is no column 'values'");
}

TEST(Column, MakesTheGroupsOnItsPathAndHasItsUnit) {
  const TempDir dir;
  auto file = h5::create_file(dir / "a.h5");
  auto column =
      ColumnWriter::create(file->get(), "a/b/c", ColumnType::u16, {.unit = "ticks", .description = "of a clock"});
  const std::vector<std::uint16_t> values{1, 2};
  ASSERT_TRUE(column->append(std::span{values}));
  ASSERT_TRUE(column->finish());
  const h5::Dataset dataset{H5Dopen2(file->get(), "a/b/c", H5P_DEFAULT)};
  EXPECT_EQ(*h5::read_string_attribute(dataset.get(), "unit"), "ticks");
  EXPECT_EQ(*h5::read_string_attribute(dataset.get(), "description"), "of a clock");
}

TEST(Column, IsNotCreatedUnderAnExistingName) {
  const TempDir dir;
  auto file = h5::create_file(dir / "a.h5");
  ASSERT_TRUE(h5::create_group(file->get(), "x"));
  auto column = ColumnWriter::create(file->get(), "x", ColumnType::u16);
  ASSERT_FALSE(column);
  EXPECT_EQ(column.error().what, "cannot create column 'x': the name is taken");
}

TEST(Column, RefusesToReadBeyondItsEnd) {
  const TempDir dir;
  write<std::uint32_t>(dir / "a.h5", noise<std::uint32_t>(100));
  auto file = h5::open_read_only(dir / "a.h5");
  auto column = ColumnReader::open(file->get(), "values");
  std::vector<std::uint32_t> out(101);
  const Status status = column->read(0, std::span{out});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, Errc::damaged);
  EXPECT_EQ(status.error().what, "cannot read column 'values': it is too short");
  EXPECT_FALSE(column->read(~0ull, std::span{out}));
}

TEST(Column, RefusesAValueThatTheReadersTypeCannotHold) {
  const TempDir dir;
  for (const std::size_t rows : {10u, 1000u}) {  // in the header; in a chunk
    std::vector<std::int64_t> values = noise<std::int64_t>(rows);
    for (auto& value : values) value &= 0xffff;
    write(dir / "a.h5", values);
    EXPECT_EQ(read<std::uint16_t>(dir / "a.h5").size(), rows);
    values[7] = -1;
    write(dir / "a.h5", values);
    auto file = h5::open_read_only(dir / "a.h5");
    auto column = ColumnReader::open(file->get(), "values");
    std::vector<std::uint16_t> out(rows);
    const Status status = column->read(0, std::span{out});
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().what, "cannot read column 'values': a value is out of range");
  }
}

TEST(Column, EqualContentGivesEqualBytes) {
  const TempDir dir;
  const auto values = noise<std::uint32_t>(200'000);
  write(dir / "a.h5", values, {.is_narrow = true}, 1000);
  write(dir / "b.h5", values, {.is_narrow = true}, 77'777);
  EXPECT_EQ(test::bytes_of(dir / "a.h5"), test::bytes_of(dir / "b.h5"));
}

TEST(Column, LeavesTheProgramsErrorHandlerAsItWas) {
  const TempDir dir;
  const auto handler = [](hid_t, void*) -> herr_t { return 0; };
  H5E_auto2_t saved = nullptr;
  void* saved_data = nullptr;
  H5Eget_auto2(H5E_DEFAULT, &saved, &saved_data);
  int mine = 0;
  H5Eset_auto2(H5E_DEFAULT, handler, &mine);
  write<std::uint32_t>(dir / "a.h5", noise<std::uint32_t>(1000));
  EXPECT_FALSE(h5::open_read_only(dir / "none.h5"));
  H5E_auto2_t after = nullptr;
  void* after_data = nullptr;
  H5Eget_auto2(H5E_DEFAULT, &after, &after_data);
  H5Eset_auto2(H5E_DEFAULT, saved, saved_data);
  EXPECT_EQ(after, static_cast<H5E_auto2_t>(handler));
  EXPECT_EQ(after_data, &mine);
}

}  // namespace
}  // namespace meridian
