// SPDX-License-Identifier: Apache-2.0
// The order in which rows of events leave their queue.

#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <vector>

#include "merger/match/row_queue.hpp"

namespace meridian {
namespace {

class Rows : public testing::Test {
 protected:
  void push(std::int64_t enter_ns, std::uint32_t thread, std::int32_t rank = 0) {
    EventRow row;
    row.enter_ns = enter_ns;
    row.thread = thread;
    row.rank = rank;
    queue_.push(row);
  }
  std::vector<std::uint32_t> threads_;  // of the rows that left the queue
  RowSink sink_ = [this](std::span<const EventRow> rows) {
    for (const EventRow& row : rows) threads_.push_back(row.thread);
    return Status{};
  };
  RowQueue queue_{sink_};
};

TEST_F(Rows, OfEqualTimesLeaveInTheOrderOfTheirThreads) {
  push(5, 2);
  push(5, 0);
  push(5, 1);
  push(6, 0);
  ASSERT_TRUE(queue_.flush());
  EXPECT_EQ(threads_, (std::vector<std::uint32_t>{0, 1, 2, 0}));
}

TEST_F(Rows, OfSeveralRanksKeepTheOrderInWhichTheyCome) {
  push(5, 2, 0);
  push(5, 0, 1);
  ASSERT_TRUE(queue_.flush());
  EXPECT_EQ(threads_, (std::vector<std::uint32_t>{2, 0}));
}

TEST_F(Rows, ThatMayGetAPredecessorStay) {
  push(4, 9);
  push(5, 2);
  push(5, 3);
  ASSERT_TRUE(queue_.drain());
  EXPECT_EQ(threads_, (std::vector<std::uint32_t>{9}));
  push(5, 1);
  ASSERT_TRUE(queue_.flush());
  EXPECT_EQ(threads_, (std::vector<std::uint32_t>{9, 1, 2, 3}));
}

}  // namespace
}  // namespace meridian
