// SPDX-License-Identifier: Apache-2.0
#include "trace/format/chunks/pending_rows.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "trace/format/chunks/state_archive.hpp"

namespace meridian {
namespace {

using Values = std::vector<std::int32_t>;

void append(PendingRows& rows, const Values& values) {
  rows.append(reinterpret_cast<const std::uint8_t*>(values.data()), values.size());
}

Values values_of(PendingRows& rows) {
  const auto& bytes = rows.values();
  Values values(bytes.size() / sizeof(std::int32_t));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

/// What another process continues with.
PendingRows restored(const PendingRows& rows, bool& is_valid, std::size_t most = 100) {
  StateWriter saved;
  rows.save(saved);
  StateReader state{saved.bytes()};
  PendingRows back{ColumnType::i32};
  is_valid = back.restore(state, most);
  return back;
}

TEST(PendingRows, AreOneValueUntilAnotherOneComes) {
  PendingRows rows{ColumnType::i32};
  append(rows, {-5, -5});
  append(rows, {-5});
  EXPECT_TRUE(rows.is_same());
  EXPECT_EQ(rows.same(), static_cast<std::uint64_t>(-5));
  EXPECT_EQ(rows.size(), 3u);
  append(rows, {-5, 6});
  EXPECT_FALSE(rows.is_same());
  append(rows, {6});
  EXPECT_EQ(values_of(rows), (Values{-5, -5, -5, -5, 6, 6}));
  rows.clear();
  append(rows, {6});
  EXPECT_TRUE(rows.is_same());
}

TEST(PendingRows, AreInMemoryWhenTheyAreAskedFor) {
  PendingRows rows{ColumnType::i32};
  append(rows, {8, 8, 8});
  EXPECT_EQ(values_of(rows), (Values{8, 8, 8}));
  append(rows, {8});
  EXPECT_EQ(values_of(rows), (Values{8, 8, 8, 8}));
  const auto bytes = rows.take({});
  EXPECT_EQ(bytes.size(), 4 * sizeof(std::int32_t));
  EXPECT_EQ(rows.size(), 0u);
  EXPECT_TRUE(rows.is_same());
}

TEST(PendingRows, ContinueInAnotherProcess) {
  for (const Values& values : {Values{}, Values{0, 0}, Values{-5, -5, -5}, Values{1, 2}, Values{-70'000, 1}}) {
    for (const bool is_in_memory : {false, true}) {
      PendingRows rows{ColumnType::i32};
      append(rows, values);
      if (is_in_memory) rows.values();
      bool is_valid = false;
      PendingRows back = restored(rows, is_valid);
      EXPECT_TRUE(is_valid);
      append(back, {-5});
      Values expected = values;
      expected.push_back(-5);
      EXPECT_EQ(back.size(), expected.size());
      EXPECT_EQ(values_of(back), expected);
    }
  }
}

TEST(PendingRows, AreRefusedIfTheyAreAChunkOrMore) {
  PendingRows rows{ColumnType::i32};
  append(rows, Values(7, 1));
  bool is_valid = true;
  restored(rows, is_valid, 7);
  EXPECT_FALSE(is_valid);
  restored(rows, is_valid, 8);
  EXPECT_TRUE(is_valid);
}

TEST(PendingRows, AreRefusedIfTheirBytesAreNotWholeElements) {
  for (const std::size_t bytes : {1u, 4u, 5u}) {
    StateWriter saved;
    saved(std::uint64_t{3}, std::uint64_t{0}, std::vector<std::uint8_t>(bytes));
    StateReader state{saved.bytes()};
    EXPECT_FALSE(PendingRows{ColumnType::i32}.restore(state, 100)) << bytes;
  }
}

}  // namespace
}  // namespace meridian
