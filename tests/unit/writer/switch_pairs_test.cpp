// SPDX-License-Identifier: Apache-2.0
// Switches of a thread become intervals without a processor.

#include "writer/samples/switch_pairs.hpp"

#include <gtest/gtest.h>

namespace meridian {

bool operator==(const ProcessorRow& a, const ProcessorRow& b) {
  return a.ticks == b.ticks && a.length == b.length && a.ran == b.ran && a.thread == b.thread && a.count == b.count &&
         a.is_ready == b.is_ready;
}
void PrintTo(const ProcessorRow& row, std::ostream* out) {
  *out << row.ticks << ' ' << row.length << ' ' << row.ran << ' ' << row.thread << ' ' << row.count << ' '
       << (row.is_ready ? "ready" : "slept");
}

namespace {

using Rows = std::vector<ProcessorRow>;

class SwitchPairing : public testing::Test {
 protected:
  /// At a time in us; a tick is half a nanosecond.
  void at(std::uint64_t us, Switch what) { pairs.add(what, us * 1000, us * 2000, rows); }
  const Rows& all() {
    pairs.flush(rows);
    return rows;
  }

  SwitchPairs pairs{7};
  Rows rows;
};

TEST_F(SwitchPairing, AThreadThatIsTakenOffItsProcessorIsReadyUntilItHasOneAgain) {
  at(1000, Switch::off_ready);
  at(1500, Switch::on);
  at(2000, Switch::off_asleep);
  at(9000, Switch::on);
  EXPECT_EQ(all(), (Rows{{3'000'000, 1'000'000, 0, 7, 1, true}, {18'000'000, 14'000'000, 0, 7, 1, false}}));
}

TEST_F(SwitchPairing, AnIntervalOfTheLimitIsARowOfItsOwn) {
  at(1000, Switch::off_ready);
  at(1020, Switch::on);
  EXPECT_EQ(rows, (Rows{{2'040'000, 40'000, 0, 7, 1, true}}));
}

TEST_F(SwitchPairing, ShortIntervalsOfAKindAreSummedWithTheirNumber) {
  for (const std::uint64_t us : {1000U, 1100U, 1200U}) {
    at(us, Switch::off_ready);
    at(us + 5, Switch::on);
  }
  at(1300, Switch::off_asleep);
  at(1310, Switch::on);
  EXPECT_TRUE(rows.empty());
  EXPECT_EQ(all(), (Rows{{2'620'000, 20'000, 0, 7, 1, false}, {2'410'000, 410'000, 380'000, 7, 3, true}}));
  EXPECT_EQ(rows[1].length - rows[1].ran, 3U * 10'000);
}

TEST_F(SwitchPairing, ASumEndsTenMillisecondsAfterItsBeginning) {
  for (const std::uint64_t us : {1000U, 11'000U, 11'001U}) {
    at(us, Switch::off_ready);
    at(us + 1, Switch::on);
  }
  EXPECT_EQ(rows, (Rows{{22'002'000, 20'002'000, 19'998'000, 7, 2, true}}));
  EXPECT_EQ(all().size(), 2U);
  EXPECT_EQ(rows[1], (ProcessorRow{22'004'000, 2'000, 0, 7, 1, true}));
}

TEST_F(SwitchPairing, ALongIntervalDoesNotEndASum) {
  at(1000, Switch::off_ready);
  at(1005, Switch::on);
  at(1100, Switch::off_ready);
  at(1200, Switch::on);
  at(1300, Switch::off_ready);
  at(1305, Switch::on);
  EXPECT_EQ(all(), (Rows{{2'400'000, 200'000, 0, 7, 1, true}, {2'610'000, 610'000, 590'000, 7, 2, true}}));
}

TEST_F(SwitchPairing, AnIntervalWhoseBeginningOrEndIsUnknownIsNone) {
  at(1000, Switch::on);  // it had none when the kernel was asked
  at(2000, Switch::off_ready);
  pairs.forget();
  at(9000, Switch::on);
  at(9500, Switch::off_asleep);
  EXPECT_TRUE(all().empty());
}

TEST_F(SwitchPairing, OfTwoBeginningsTheLaterOneCounts) {
  at(1000, Switch::off_asleep);
  at(2000, Switch::off_ready);
  at(3000, Switch::on);
  EXPECT_EQ(all(), (Rows{{6'000'000, 2'000'000, 0, 7, 1, true}}));
}

TEST_F(SwitchPairing, AnEndBeforeTheBeginningIsNoInterval) {
  at(2000, Switch::off_ready);
  at(1000, Switch::on);
  EXPECT_TRUE(all().empty());
}

}  // namespace
}  // namespace meridian
