// SPDX-License-Identifier: Apache-2.0
#include "trace/records/stack_table.hpp"

#include <gtest/gtest.h>

namespace meridian {
namespace {

using Rows = std::vector<std::pair<std::uint32_t, std::uint64_t>>;

Rows contents(const std::vector<StackRow>& rows) {
  Rows all;
  for (const StackRow& row : rows) all.emplace_back(row.parent, row.address);
  return all;
}

TEST(StackTable, GivesOneRowToAnAddressInOneFrame) {
  std::vector<StackRow> rows;
  StackTable table{rows};
  EXPECT_EQ(table.row_of(0, 0x10), 1u);
  EXPECT_EQ(table.row_of(1, 0x20), 2u);
  EXPECT_EQ(table.row_of(1, 0x20), 2u);
  EXPECT_EQ(table.row_of(0, 0x20), 3u);
  EXPECT_EQ(contents(rows), (Rows{{0, 0}, {0, 0x10}, {1, 0x20}, {0, 0x20}}));
}

TEST(StackTable, HasNoRowBeyondItsLimitAndNoneInsideSuchAFrame) {
  std::vector<StackRow> rows(kMaxStackRows - 1);
  StackTable table{rows};
  EXPECT_EQ(table.row_of(0, 0x10), kMaxStackRows - 1);
  EXPECT_EQ(table.row_of(0, 0x20), StackTable::kNoRow);
  EXPECT_EQ(table.row_of(StackTable::kNoRow, 0x30), StackTable::kNoRow);
  EXPECT_EQ(table.row_of(0, 0x10), kMaxStackRows - 1);
  EXPECT_EQ(rows.size(), kMaxStackRows);
}

TEST(StackTable, KnowsItsRowsAgainAfterTheyWereRestored) {
  std::vector<StackRow> rows{{0, 0}, {0, 0x10}, {1, 0x20}};
  StackTable table{rows};
  EXPECT_TRUE(table.restore());
  EXPECT_EQ(table.row_of(1, 0x20), 2u);
  EXPECT_EQ(table.row_of(2, 0x20), 3u);
}

TEST(StackTable, RefusesRowsWhoseParentDoesNotComeBefore) {
  std::vector<StackRow> own_parent{{0, 0}, {1, 0x10}};
  EXPECT_FALSE(StackTable{own_parent}.restore());
  std::vector<StackRow> later_parent{{0, 0}, {2, 0x10}, {0, 0x20}};
  EXPECT_FALSE(StackTable{later_parent}.restore());
  std::vector<StackRow> first_with_parent{{1, 0}};
  EXPECT_FALSE(StackTable{first_with_parent}.restore());
}

TEST(StackTable, RefusesMoreRowsThanItCanHave) {
  std::vector<StackRow> rows(kMaxStackRows + 1);
  EXPECT_FALSE(StackTable{rows}.restore());
}

struct Thread {
  std::vector<StackRow> rows;
  StackTable table{rows};
  ThreadStacks stacks;
};

TEST(ThreadStacks, TakeNodesInTheOrderOfTheirIds) {
  Thread thread;
  EXPECT_FALSE(thread.stacks.add({2, 0, 0x10}, thread.table));
  EXPECT_TRUE(thread.stacks.add({1, 0, 0x10}, thread.table));
  EXPECT_FALSE(thread.stacks.add({1, 0, 0x10}, thread.table));
  EXPECT_FALSE(thread.stacks.add({2, 2, 0x20}, thread.table));
  EXPECT_TRUE(thread.stacks.add({2, 1, 0x20}, thread.table));
  EXPECT_EQ(contents(thread.rows), (Rows{{0, 0}, {0, 0x10}, {1, 0x20}}));
}

TEST(ThreadStacks, ReadAWordWithoutTheMarkAsAnAddressWithoutAStack) {
  const ThreadStacks none;
  EXPECT_TRUE(none.is_site(0x1234));
  EXPECT_EQ(none.site(0x1234).address, 0x1234u);
  EXPECT_EQ(none.site(0x1234).row, 0u);
}

TEST(ThreadStacks, ReadAMarkedWordAsOneOfTheirNodes) {
  Thread thread;
  thread.table.row_of(0, 0x99);  // another thread's
  thread.stacks.add({1, 0, 0x10}, thread.table);
  EXPECT_TRUE(thread.stacks.is_site(kStackSite | 1));
  EXPECT_FALSE(thread.stacks.is_site(kStackSite | 2));
  EXPECT_FALSE(thread.stacks.is_site(kStackSite));
  EXPECT_EQ(thread.stacks.site(kStackSite | 1).address, 0x10u);
  EXPECT_EQ(thread.stacks.site(kStackSite | 1).row, 2u);
}

TEST(ThreadStacks, KeepTheAddressOfANodeThatHasNoRow) {
  std::vector<StackRow> rows(kMaxStackRows);
  StackTable table{rows};
  ThreadStacks stacks;
  EXPECT_TRUE(stacks.add({1, 0, 0x10}, table));
  EXPECT_EQ(stacks.site(kStackSite | 1).address, 0x10u);
  EXPECT_EQ(stacks.site(kStackSite | 1).row, 0u);
  EXPECT_TRUE(stacks.are_within(1));
}

TEST(ThreadStacks, BeginAnewAfterTheyWereCleared) {
  Thread thread;
  thread.stacks.add({1, 0, 0x10}, thread.table);
  thread.stacks.clear();
  EXPECT_FALSE(thread.stacks.is_site(kStackSite | 1));
  EXPECT_TRUE(thread.stacks.add({1, 0, 0x20}, thread.table));
}

TEST(ThreadStacks, AreWithinATableThatHasAllTheirRows) {
  Thread thread;
  thread.stacks.add({1, 0, 0x10}, thread.table);
  EXPECT_TRUE(thread.stacks.are_within(2));
  EXPECT_FALSE(thread.stacks.are_within(1));
}

}  // namespace
}  // namespace meridian
