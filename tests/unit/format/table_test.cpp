// SPDX-License-Identifier: Apache-2.0
#include "trace/format/tables/table.hpp"

#include <gtest/gtest.h>

#include "tests/support/temp_dir.hpp"

namespace meridian::h5 {
namespace {

using test::TempDir;

enum class Colour : std::uint8_t { red = 1, green = 2 };
struct Row {
  std::uint64_t big = 0;
  std::int32_t small = 0;
  Colour colour{};
  double share = 0;
  bool operator==(const Row&) const = default;
};
constexpr Columns kColumns{column<&Row::big>("big"), column<&Row::small>("small"), column<&Row::colour>("colour"),
                           column<&Row::share>("share")};
std::vector<Row> rows(std::size_t count) {
  std::vector<Row> made;
  for (std::size_t i = 0; i < count; ++i)
    made.push_back({~0ull - i, -static_cast<std::int32_t>(i), i % 2 == 0 ? Colour::red : Colour::green,
                    0.25 * static_cast<double>(i)});
  return made;
}

TEST(Table, ComesBackAsItWasWritten) {
  const TempDir dir;
  for (const std::size_t count : {0u, 1u, 3u, 1000u, 200'000u}) {
    auto file = create_file(dir / "a.h5");
    ASSERT_TRUE(write_table<Row>(file->get(), "group/rows", kColumns, rows(count)));
    ASSERT_TRUE(close_file(*file, dir / "a.h5"));
    auto again = open_read_only(dir / "a.h5");
    auto read = read_table<Row>(again->get(), "group/rows", kColumns);
    ASSERT_TRUE(read) << read.error().what;
    EXPECT_EQ(*read, rows(count));
  }
}

TEST(Table, OfAnotherVersionMayHaveMoreColumnsAndAnotherOrder) {
  const TempDir dir;
  auto file = create_file(dir / "a.h5");
  ASSERT_TRUE(write_table<Row>(file->get(), "rows", kColumns, rows(5)));
  constexpr Columns some{column<&Row::share>("share"), column<&Row::big>("big")};
  auto read = read_table<Row>(file->get(), "rows", some);
  ASSERT_TRUE(read);
  EXPECT_EQ((*read)[4].big, ~0ull - 4);
  EXPECT_EQ((*read)[4].share, 1.0);
  EXPECT_EQ((*read)[4].small, 0);
}

TEST(Table, WithoutAnExpectedColumnIsAnError) {
  const TempDir dir;
  constexpr Columns big{column<&Row::big>("big")};
  auto file = create_file(dir / "a.h5");
  ASSERT_TRUE(write_table<Row>(file->get(), "rows", big, rows(5)));
  auto read = read_table<Row>(file->get(), "rows", kColumns);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, Errc::damaged);
  EXPECT_EQ(read.error().what, "cannot read table 'rows': it has no column of numbers 'small'");
  auto none = read_table<Row>(file->get(), "others", kColumns);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, Errc::not_found);
  EXPECT_EQ(none.error().what, "there is no table 'others'");
}

TEST(Table, ThatClaimsMoreRowsThanTheFileCanHoldIsAnErrorAndNoAllocation) {
  const TempDir dir;
  auto file = create_file(dir / "a.h5");
  const hsize_t count = 1ull << 50, chunk = 1024;
  const Space space{H5Screate_simple(1, &count, nullptr)};
  const Type type{H5Tcreate(H5T_COMPOUND, sizeof(Row))};
  H5Tinsert(type.get(), "big", 0, H5T_NATIVE_UINT64);
  const Properties creation{H5Pcreate(H5P_DATASET_CREATE)};
  H5Pset_chunk(creation.get(), 1, &chunk);
  const Dataset dataset{
      H5Dcreate2(file->get(), "rows", type.get(), space.get(), H5P_DEFAULT, creation.get(), H5P_DEFAULT)};
  ASSERT_TRUE(dataset);
  auto read = read_table<Row>(file->get(), "rows", kColumns);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().what, "cannot read table 'rows': it is larger than the file can hold");
}

TEST(Strings, ComeBackAsTheyWereWritten) {
  const TempDir dir;
  auto file = create_file(dir / "a.h5");
  const std::vector<std::string> texts{"", "MPI_Send", "größer", std::string(3000, 'x')};
  ASSERT_TRUE(write_strings(file->get(), "a/texts", texts));
  ASSERT_TRUE(write_strings(file->get(), "a/none", {}));
  EXPECT_EQ(*read_strings(file->get(), "a/texts"), texts);
  EXPECT_EQ(*read_strings(file->get(), "a/none"), std::vector<std::string>{});
}

TEST(Attribute, ComesBackAsItWasWritten) {
  const TempDir dir;
  auto file = create_file(dir / "a.h5");
  ASSERT_TRUE(write_attribute(file->get(), "int", std::int64_t{-5}));
  ASSERT_TRUE(write_attribute(file->get(), "uint", ~std::uint64_t{0}));
  ASSERT_TRUE(write_attribute(file->get(), "text", "größer"));
  ASSERT_TRUE(write_attribute(file->get(), "empty", ""));
  EXPECT_EQ(*read_int_attribute(file->get(), "int"), -5);
  EXPECT_EQ(*read_uint_attribute(file->get(), "uint"), ~std::uint64_t{0});
  EXPECT_EQ(*read_string_attribute(file->get(), "text"), "größer");
  EXPECT_EQ(*read_string_attribute(file->get(), "empty"), "");
  EXPECT_EQ(read_int_attribute(file->get(), "none").error().what, "cannot read attribute 'none': there is none");
  EXPECT_EQ(read_int_attribute(file->get(), "text").error().what, "cannot read attribute 'text': it has another type");
}

TEST(H5File, ReplacesALinkInsteadOfWritingThroughIt) {
  const TempDir dir;
  test::put_bytes(dir / "precious", {'a', 'b', 'c'});
  std::filesystem::create_symlink(dir / "precious", dir / "a.h5");
  ASSERT_TRUE(create_file(dir / "a.h5"));
  EXPECT_EQ(test::bytes_of(dir / "precious"), (std::vector<char>{'a', 'b', 'c'}));
}

TEST(H5File, ReportsWhyItCannotBeOpened) {
  const TempDir dir;
  const auto what = [&](const std::filesystem::path& path) { return open_read_only(path).error(); };
  EXPECT_EQ(what(dir / "none").code, Errc::not_found);
  EXPECT_EQ(what(dir / "none").what, "cannot open '" + (dir / "none").string() + "': no such file");
  EXPECT_EQ(what(dir.path()).what, "cannot open '" + dir.path().string() + "': not a regular file");
  test::put_bytes(dir / "empty", {});
  EXPECT_EQ(what(dir / "empty").code, Errc::damaged);
  EXPECT_EQ(what(dir / "empty").what, "cannot open '" + (dir / "empty").string() + "': it is empty");
  test::put_bytes(dir / "text", std::vector<char>(3000, 'x'));
  EXPECT_EQ(what(dir / "text").code, Errc::damaged);
}

}  // namespace
}  // namespace meridian::h5
