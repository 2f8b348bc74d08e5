// SPDX-License-Identifier: Apache-2.0
#include "trace/format/tables/table_column.hpp"

#include <gtest/gtest.h>

#include "tests/support/temp_dir.hpp"
#include "trace/format/tables/column_table.hpp"

namespace meridian {
namespace {

using test::TempDir;

enum class Colour : std::uint8_t { red, green };
constexpr std::array<std::string_view, 2> kColours{"red", "green"};

struct Place {
  std::uint32_t line = 0;
};
struct Row {
  std::int16_t small = 0;
  std::uint64_t big = 0;
  double share = 0;
  bool is_good = false;
  Colour colour{};
  std::string name;
  std::vector<std::int32_t> ranks;
  Place place;
};

constexpr Columns kColumns{
    column<&Row::small>("small"),
    column<&Row::big>("big", "B", "a large number"),
    column<&Row::share>("share"),
    column<&Row::is_good>("is_good"),
    column<&Row::colour>("colour").with_words(kColours),
    column<&Row::name>("name").nullable(),
    column<&Row::ranks>("ranks"),
    column<&Row::place, &Place::line>("line"),
    column<Row>("twice", "B", "", [](const Row& row) { return 2 * row.big; }).shown_in(kInPrint),
    column<Row>(
        "next", "", "", [](const Row& row) { return row.place.line + 1; },
        [](Row& row, std::uint32_t value) { row.place.line = value - 1; }),
};
static_assert(decltype(kColumns)::size() == 10);

std::vector<Row> rows() {
  return {{-3, 1ull << 40, 0.25, true, Colour::green, "one", {1, 2}, {7}}, {4, 5, -1, false, Colour::red, "", {}, {8}}};
}

ColumnValue value(std::size_t index) { return value_of(kColumns.list[index], rows().data()); }

TEST(TableColumn, GivesTheValueOfAMemberWithItsSignAndForm) {
  EXPECT_EQ(value(0), ColumnValue{std::int64_t{-3}});
  EXPECT_EQ(value(1), ColumnValue{std::uint64_t{1} << 40});
  EXPECT_EQ(value(2), ColumnValue{0.25});
  EXPECT_EQ(value(3), ColumnValue{true});
  EXPECT_EQ(value(4), ColumnValue{std::string{"green"}});
  EXPECT_EQ(value(5), ColumnValue{std::string{"one"}});
  EXPECT_EQ(value(6), (ColumnValue{std::vector<std::int32_t>{1, 2}}));
  EXPECT_EQ(value(7), ColumnValue{std::uint64_t{7}});
  EXPECT_EQ(value(8), ColumnValue{std::uint64_t{1} << 41});
}

TEST(TableColumn, KnowsItsTypeInFiles) {
  const std::vector<ColumnType> types{ColumnType::i16, ColumnType::u64, ColumnType::f64, ColumnType::u8,
                                      ColumnType::u8};
  for (std::size_t i = 0; i < types.size(); ++i) EXPECT_EQ(kColumns.list[i].type, types[i]) << kColumns.list[i].name;
}

TEST(TableColumn, WithoutASetterCannotBeSet) {
  EXPECT_EQ(kColumns.list[8].set, nullptr);
  Row row;
  const std::uint32_t next = 10;
  kColumns.list[9].set(&row, 1, &next, sizeof next);
  EXPECT_EQ(row.place.line, 9u);
}

TEST(TableColumn, CopiesValuesAtAnyDistance) {
  const std::vector<Row> all = rows();
  std::array<char, 32> packed{};
  kColumns.list[1].get(all.data(), 2, packed.data() + 1, 13);
  std::vector<Row> copies(2);
  kColumns.list[1].set(copies.data(), 2, packed.data() + 1, 13);
  EXPECT_EQ(copies[0].big, all[0].big);
  EXPECT_EQ(copies[1].big, all[1].big);
}

class ColumnTable : public testing::Test {
 protected:
  ColumnTable() : file_{*h5::create_file(dir_ / "a.h5")}, group_{*h5::create_group(file_.get(), "table")} {}

  Status write(const std::vector<Row>& some) {
    return write_columns(group_.get(), kColumns, some.data(), some.size(), {.has_texts = true});
  }
  Status read() { return read_columns(group_.get(), kColumns, room_in(read_)); }
  /// Replaces a column by these values.
  void replace(const char* column, const std::vector<std::uint8_t>& values) {
    ASSERT_GE(H5Ldelete(group_.get(), column, H5P_DEFAULT), 0);
    auto writer = ColumnWriter::create(group_.get(), column, ColumnType::u8);
    ASSERT_TRUE(writer->append(std::span<const std::uint8_t>{values}));
    ASSERT_TRUE(writer->finish());
  }

  TempDir dir_;
  h5::File file_;
  h5::Group group_;
  std::vector<Row> read_;
};

TEST_F(ColumnTable, IsReadAsItWasWrittenExceptForPrintedColumns) {
  ASSERT_TRUE(write(rows()));
  EXPECT_FALSE(h5::exists(group_.get(), "ranks"));
  EXPECT_FALSE(h5::exists(group_.get(), "twice"));
  ASSERT_TRUE(read());
  ASSERT_EQ(read_.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i)
    for (const AnyColumn& column : kColumns) {
      if (column.form == ColumnForm::list) continue;
      EXPECT_EQ(value_of(column, &read_[i]), value_of(column, &rows()[i])) << column.name;
    }
}

TEST_F(ColumnTable, WithoutRowsHasColumnsOfLengthZero) {
  ASSERT_TRUE(write({}));
  read_ = rows();
  ASSERT_TRUE(read());
  EXPECT_TRUE(read_.empty());
}

TEST_F(ColumnTable, WithoutOneOfItsColumnsIsAnError) {
  ASSERT_TRUE(write(rows()));
  H5Ldelete(group_.get(), "share", H5P_DEFAULT);
  const Status status = read();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, Errc::not_found);
}

TEST_F(ColumnTable, WithAColumnOfAnotherLengthIsDamaged) {
  ASSERT_TRUE(write(rows()));
  replace("share", {1, 2, 3});
  const Status status = read();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, Errc::damaged);
  EXPECT_EQ(status.error().what, "column 'share' has another length than the others of its table");
}

TEST_F(ColumnTable, WithANumberWithoutAWordIsDamaged) {
  ASSERT_TRUE(write(rows()));
  replace("colour", {1, 2});
  const Status status = read();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().what, "column 'colour' has a number without a meaning");
}

}  // namespace
}  // namespace meridian
