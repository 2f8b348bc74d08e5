// SPDX-License-Identifier: Apache-2.0
// Calls of several threads at once: the orders that are possible, and the one that is chosen.

#include <gtest/gtest.h>

#include "merger/match/linear_extension.hpp"
#include "merger/match/row_queue.hpp"
#include "merger/match/settle_overlaps.hpp"

namespace meridian {
namespace {

using Order = CallLine::Order;

/// Calls of four threads that all overlap; the third may move.
CallLine overlapping() {
  CallLine line;
  for (std::uint32_t i = 0; i < 4; ++i) line.items.push_back({10 + i, {i, i, 100}, true});
  line.moving = 2;
  return line;
}

TEST(CallLine, MovesPastCallsThatOverlap) {
  const CallLine line = overlapping();
  EXPECT_EQ(line.towards_front(0), (Order{0, 1, 2, 3}));
  EXPECT_EQ(line.towards_front(1), (Order{0, 2, 1, 3}));
  EXPECT_EQ(line.towards_front(2), (Order{2, 0, 1, 3}));
  EXPECT_EQ(line.towards_front(3), std::nullopt);
  EXPECT_EQ(line.towards_end(1), (Order{0, 1, 3, 2}));
  EXPECT_EQ(line.slot_of_moving(*line.towards_front(2)), 10u);
}

TEST(CallLine, TakesAlongWhatMustStayBeforeIt) {
  CallLine line = overlapping();
  line.items[1].span.thread = line.items[2].span.thread;  // one thread: their order is fixed
  EXPECT_EQ(line.towards_front(1), (Order{1, 2, 0, 3}));
  EXPECT_EQ(line.towards_front(2), std::nullopt);
}

TEST(CallLine, DoesNotMovePastACallThatCannotMoveAndEndedBefore) {
  CallLine line = overlapping();
  line.items[1].is_open = false;
  line.items[1].span.leave_ticks = 2;
  EXPECT_EQ(line.towards_front(1), std::nullopt);
}

class Overlaps : public testing::Test {
 protected:
  void send(std::uint32_t thread, std::uint64_t bytes, std::int64_t enter_ns) {
    SentMessage sent;
    sent.span = {thread, 0, 100};
    sent.enter_ns = enter_ns;
    sent.bytes = bytes;
    sent.number = at_.sends.size();
    at_.sends.push_back(sent);
  }
  ReceiveId post(std::uint32_t thread, bool is_complete, std::int64_t bytes = 8, std::int64_t leave_ns = 1000) {
    const ReceiveId id = receives_.add();
    receives_[id].is_complete = is_complete;
    receives_[id].bytes = bytes;
    receives_[id].leave_ns = leave_ns;
    receives_[id].number = at_.places.size();
    at_.places.push_back({id, {thread, 0, 100}, at_.places.size()});
    return id;
  }
  Channel at_;
  ReceiveTable receives_;
};

TEST_F(Overlaps, ACompletedReceiveGoesAheadOfOpenOnes) {
  send(9, 8, 10);
  send(9, 8, 20);
  const ReceiveId open = post(0, false);
  const ReceiveId done = post(1, true);
  EXPECT_EQ(settle_overlaps(at_, 1, receives_), 0u);
  EXPECT_EQ(at_.places[0].receive, done);
  EXPECT_EQ(at_.places[1].receive, open);
  EXPECT_EQ(receives_[done].number, 0u);
  EXPECT_EQ(receives_[open].number, 1u);
}

TEST_F(Overlaps, AReceiveOfTheSameThreadKeepsItsPlace) {
  send(9, 8, 10);
  send(9, 8, 20);
  post(0, false);
  at_.places[0].span.enter_ticks = 0;
  post(0, true);
  at_.places[1].span.enter_ticks = 50;
  EXPECT_EQ(settle_overlaps(at_, 1, receives_), 1u);
}

TEST_F(Overlaps, AReceiveGetsAMessageOfItsSize) {
  send(9, 64, 10);
  send(9, 8, 20);
  post(0, false);
  post(1, true, 8);
  EXPECT_EQ(settle_overlaps(at_, 1, receives_), 1u);
}

TEST_F(Overlaps, SendsOfTwoThreadsChangePlacesForTheSize) {
  send(8, 64, 10);
  send(9, 8, 20);
  post(0, true, 8);
  EXPECT_EQ(settle_overlaps(at_, 0, receives_), 0u);
  EXPECT_EQ(at_.sends[0].bytes, 8u);
  EXPECT_EQ(at_.sends[1].bytes, 64u);
}

TEST_F(Overlaps, NoReceiveGetsAMessageThatWasSentAfterItsEnd) {
  send(9, 8, 10);
  send(9, 8, 500);
  post(0, false);
  post(1, true, 8, 400);
  EXPECT_EQ(settle_overlaps(at_, 1, receives_), 0u);
}

TEST_F(Overlaps, ASilentReceiveStaysWhereItIs) {
  send(9, 8, 10);
  send(9, 8, 20);
  post(0, false);
  receives_[post(1, true)].is_silent = true;
  EXPECT_EQ(settle_overlaps(at_, 1, receives_), 1u);
}

class Rows : public testing::Test {
 protected:
  void push(std::int64_t enter_ns, std::uint32_t thread, std::int32_t rank = 0) {
    EventRow row;
    row.enter_ns = enter_ns;
    row.thread = thread;
    row.rank = rank;
    queue_.push(row);
  }
  std::vector<std::uint32_t> threads_;  // of what was handed on
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
