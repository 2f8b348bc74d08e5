// SPDX-License-Identifier: Apache-2.0
#include "report/data/levels/row_levels.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace meridian {
namespace {

TEST(RowLevels, SpreadTimeOverTheBinsItIsIn) {
  RowLevels levels{2, 4, 100, 140};
  EXPECT_EQ(levels.width_ns(), 10);
  levels.add_time(1, StateClass::transfer, 105, 125);
  const auto at = [&](std::size_t bin) {
    return levels.time_ns(1, static_cast<std::size_t>(StateClass::transfer), bin);
  };
  EXPECT_EQ(at(0), 5);
  EXPECT_EQ(at(1), 10);
  EXPECT_EQ(at(2), 5);
  EXPECT_EQ(at(3), 0);
  EXPECT_EQ(levels.time_ns(0, static_cast<std::size_t>(StateClass::transfer), 1), 0) << "another row";
}

TEST(RowLevels, LeaveOutTimeBeyondTheirEnds) {
  RowLevels levels{1, 4, 100, 140};
  levels.add_time(0, StateClass::io, -1000, 105);
  levels.add_time(0, StateClass::io, 135, 100000);
  EXPECT_EQ(levels.time_ns(0, static_cast<std::size_t>(StateClass::io), 0), 5);
  EXPECT_EQ(levels.time_ns(0, static_cast<std::size_t>(StateClass::io), 3), 5);
}

TEST(RowLevels, CountCallsWhereTheyBegin) {
  RowLevels levels{1, 4, 0, 40};
  levels.add_call(0, 9, 3, 1);
  levels.add_call(0, 5, 25, 7);
  levels.add_call(0, 1000, 1, 1);
  EXPECT_EQ(levels.calls(0, 0), 8U);
  EXPECT_EQ(levels.longest_ns(0, 0), 25);
  EXPECT_EQ(levels.calls(0, 3), 1U) << "the last bin has what comes after it";
}

TEST(RowLevels, HaveAllOfTheTime) {
  std::mt19937 random{3};  // one seed: the draws are part of the test
  for (int round = 0; round < 100; ++round) {
    const auto end = static_cast<std::int64_t>(1 + random() % 1000);
    const std::size_t bins = 1 + random() % 20;
    RowLevels levels{1, bins, 0, end};
    const auto from = static_cast<std::int64_t>(random() % static_cast<unsigned>(end));
    const auto to = from + static_cast<std::int64_t>(random() % static_cast<unsigned>(end - from + 1));
    levels.add_time(0, StateClass::sleep, from, to);
    double sum = 0;
    for (std::size_t bin = 0; bin < bins; ++bin)
      sum += levels.time_ns(0, static_cast<std::size_t>(StateClass::sleep), bin);
    EXPECT_EQ(sum, static_cast<double>(to - from));
  }
}

}  // namespace
}  // namespace meridian
