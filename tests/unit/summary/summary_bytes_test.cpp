// SPDX-License-Identifier: Apache-2.0
// Tables of a summary reach another process unchanged.

#include "summary/summary_bytes.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "summary/summary_tables.hpp"
#include "tests/support/seed.hpp"

namespace meridian::test {
namespace {

using List = std::vector<std::int32_t>;

std::vector<std::string_view> all_tables() {
  std::vector<std::string_view> names;
  for (const SummaryTable& table : summary_tables()) names.emplace_back(table.name);
  return names;
}

/// The values of all columns, in words: of doubles, their bits.
std::vector<std::string> values_of(const Summary& summary) {
  std::vector<std::string> list;
  for (const SummaryTable& table : summary_tables()) {
    const std::size_t count = table.count(summary);
    list.push_back(std::string{table.name} + " has " + std::to_string(count));
    for (const AnyColumn& column : table.columns) {
      std::vector<std::string> texts(count);
      std::vector<List> lists(count);
      std::vector<std::uint64_t> numbers(count);
      if (column.form == ColumnForm::text)
        column.get(table.rows(summary), count, texts.data(), sizeof(std::string));
      else if (column.form == ColumnForm::list)
        column.get(table.rows(summary), count, lists.data(), sizeof(List));
      else
        column.get(table.rows(summary), count, numbers.data(), sizeof(std::uint64_t));
      for (std::size_t i = 0; i < count; ++i) {
        std::string text = std::string{column.name} + " " + std::to_string(numbers[i]) + " " + texts[i];
        for (const std::int32_t element : lists[i]) text += " " + std::to_string(element);
        list.push_back(text);
      }
    }
  }
  return list;
}

class RandomSummary {
 public:
  explicit RandomSummary(std::uint64_t seed) : random_{test::seeded(seed)} {}

  Summary make() {
    Summary summary;
    for (const SummaryTable& table : summary_tables()) {
      const std::size_t count = table.shape == SummaryTable::Shape::one_row ? 1 : random_() % 4;
      void* const rows = table.make_rows(summary, count);
      for (std::size_t i = 0; i < count; ++i)
        for (const AnyColumn& column : table.columns)
          if (column.set != nullptr) set(column, static_cast<char*>(rows) + i * table.row_bytes);
    }
    return summary;
  }

 private:
  void set(const AnyColumn& column, void* row) {
    if (column.form == ColumnForm::text) {
      const std::string text(random_() % 3 == 0 ? 0 : random_() % 40, static_cast<char>(random_() % 4));
      column.set(row, 1, &text, sizeof(std::string));
    } else if (column.form == ColumnForm::list) {
      const List list(random_() % 5, static_cast<std::int32_t>(random_()));
      column.set(row, 1, &list, sizeof(List));
    } else {
      std::uint64_t number = random_();
      if (column.form == ColumnForm::flag) number %= 2;
      if (column.form == ColumnForm::word) number %= column.words.size();
      // A member that is a float is stored as a double.
      if (column.type == ColumnType::f64)
        number = std::bit_cast<std::uint64_t>(
            double{std::bit_cast<float>(0x3f800000U + static_cast<std::uint32_t>(number % 0x1000000U))});
      column.set(row, 1, &number, sizeof number);
    }
  }

  std::mt19937_64 random_;
};

TEST(SummaryBytes, KeepEveryValueOfEveryTable) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Summary sent = RandomSummary{seed}.make();
    Summary received = RandomSummary{seed + 1000}.make();  // all of it is replaced
    ASSERT_TRUE(take_summary_bytes(summary_bytes(sent, all_tables()), all_tables(), received));
    EXPECT_EQ(values_of(received), values_of(sent));
  }
}

TEST(SummaryBytes, KeepDoublesThatAreNoFloats) {
  Summary sent, received;
  for (const double value : {0.1, -0.0, 5e-324, std::numeric_limits<double>::infinity(), std::nan("")})
    sent.metrics.push_back({.rank = 0, .part = "mpi", .name = {}, .value = value});
  const std::vector<std::string_view> tables{"metrics"};
  ASSERT_TRUE(take_summary_bytes(summary_bytes(sent, tables), tables, received));
  EXPECT_EQ(values_of(received), values_of(sent));
}

TEST(SummaryBytes, LeaveOtherTablesAlone) {
  Summary sent, received;
  sent.usage.resize(3);
  received.threads.resize(2);
  const std::vector<std::string_view> tables{"usage"};
  ASSERT_TRUE(take_summary_bytes(summary_bytes(sent, tables), tables, received));
  EXPECT_EQ(received.usage.size(), 3U);
  EXPECT_EQ(received.threads.size(), 2U);
}

TEST(SummaryBytes, ThatAreDamagedAreRefused) {
  const std::vector<std::uint8_t> bytes = summary_bytes(RandomSummary{1}.make(), all_tables());
  for (std::size_t length = 0; length < bytes.size(); length += 1 + length / 50) {
    Summary received;
    EXPECT_FALSE(take_summary_bytes(std::span{bytes}.first(length), all_tables(), received));
  }
  std::mt19937_64 random{test::seeded(2)};
  for (int i = 0; i < 300; ++i) {
    std::vector<std::uint8_t> damaged = bytes;
    for (std::size_t k = 0; k < 8; ++k) damaged[random() % damaged.size()] = static_cast<std::uint8_t>(random());
    Summary received;
    (void)take_summary_bytes(damaged, all_tables(), received);  // the answer may be either: no crash
  }
}

}  // namespace
}  // namespace meridian::test
