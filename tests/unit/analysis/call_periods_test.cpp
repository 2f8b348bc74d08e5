// SPDX-License-Identifier: Apache-2.0
// Which calls begin the iterations of programs that are written as letters: a call every 10 ns, named after its place.
// Capital letters are collectives, digits are regions.
#include "analysis/phases/call_periods.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>
#include <string>

namespace meridian {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::string times(int count, const std::string& text) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text;
  return all;
}

std::string ranks_of(const CallPeriod& period, std::size_t ranks) {
  std::string text = " on ";
  for (const std::size_t rank : period.ranks) text += std::to_string(rank);
  return period.ranks.size() == ranks ? "" : text;
}

/// "B x 6 from 30 to 230": the period's place, its calls, first and last time. "runs of B" if only the first ones count;
/// "... on 12" if only ranks 1 and 2 make them.
std::vector<std::string> periods(const std::vector<std::string>& ranks) {
  CallPeriods found{ranks.size()};
  std::size_t length = 0;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    std::int64_t ns = 0;
    for (const char place : ranks[rank]) {
      const auto letter = static_cast<unsigned char>(place);
      const MarkerKind kind = std::isdigit(letter)   ? MarkerKind::region
                              : std::isupper(letter) ? MarkerKind::collective
                                                     : MarkerKind::other;
      found.add(rank, {.call = letter}, kind, ns);
      ns += 10;
    }
    length = std::max(length, ranks[rank].size());
  }
  std::vector<std::string> all;
  for (const CallPeriod& period : found.find(static_cast<std::int64_t>(10 * length)))
    all.push_back((period.of_runs ? "runs of " : "") + std::string(1, static_cast<char>(period.key.call)) + " x " +
                  std::to_string(period.count) + " from " + std::to_string(period.first_ns) + " to " +
                  std::to_string(period.last_ns) + ranks_of(period, ranks.size()));
  return all;
}

std::vector<std::string> periods_on(std::size_t ranks, const std::string& program) {
  return periods(std::vector<std::string>(ranks, program));
}

TEST(CallPeriods, OfALoopBeginWithItsFirstCall) {
  for (const std::size_t ranks : {1U, 2U, 4U})
    EXPECT_THAT(periods_on(ranks, times(10, "abc")), ElementsAre("a x 10 from 0 to 270")) << ranks;
}

TEST(CallPeriods, BeginWithACollectiveIfThereIsOne) {
  EXPECT_THAT(periods_on(2, times(10, "abC")), ElementsAre("C x 10 from 20 to 290"));
}

TEST(CallPeriods, AreThoseOfTheOuterLoop) {
  for (const std::size_t ranks : {1U, 2U, 4U})
    EXPECT_THAT(periods_on(ranks, times(6, "AAAb")), ElementsAre("b x 6 from 30 to 230")) << ranks;
  EXPECT_THAT(periods_on(2, times(5, "c" + times(20, "AB"))), ElementsAre("c x 5 from 0 to 1640"));
}

TEST(CallPeriods, AreThoseOfTheInnerLoopIfTheOuterOneComesTooSeldom) {
  EXPECT_THAT(periods_on(2, times(4, "c" + times(20, "AB"))), ElementsAre("A x 80 from 10 to 1620"));
}

TEST(CallPeriods, OfALoopThatIsACallOnly) {
  EXPECT_THAT(periods_on(2, times(5, "A")), ElementsAre("A x 5 from 0 to 40"));
  EXPECT_THAT(periods_on(2, times(4, "A")), IsEmpty());
}

TEST(CallPeriods, DoNotIncludeWhatComesBeforeAndAfterTheLoop) {
  EXPECT_THAT(periods_on(2, "xyz" + times(10, "ab") + "uvw"), ElementsAre("a x 10 from 30 to 210"));
}

TEST(CallPeriods, AreSeveralIfThereAreLoopsOneAfterTheOther) {
  EXPECT_THAT(periods_on(2, times(10, "ab") + "x" + times(6, "ccD")),
              ElementsAre("a x 10 from 0 to 180", "D x 6 from 230 to 380"));
}

TEST(CallPeriods, AreNoneWithoutRepetition) {
  EXPECT_THAT(periods_on(2, "abcdefghijklmnopq"), IsEmpty());
  EXPECT_THAT(periods_on(2, ""), IsEmpty());
  EXPECT_THAT(periods({}), IsEmpty());
}

TEST(CallPeriods, AreNoneWhereTheRanksMakeUnequallyManyCalls) {
  EXPECT_THAT(periods({times(10, "ab"), times(11, "ab")}), IsEmpty());
  EXPECT_THAT(periods({times(10, "ab"), times(10, "cd")}), IsEmpty());
}

TEST(CallPeriods, BeginWithACallThatAllRanksMakeEquallyOften) {
  EXPECT_THAT(periods({times(10, "aaw"), times(10, "aw")}), ElementsAre("w x 10 from 10 to 290"));
}

TEST(CallPeriods, MayBeginWithUnequallyManyCallsInSequence) {
  // One rank has three neighbours, the other one has one.
  EXPECT_THAT(periods({times(10, "aaabbb"), times(10, "ab")}), ElementsAre("runs of a x 10 from 0 to 540"));
}

TEST(CallPeriods, DoNotBeginWithCallsAtIrregularDistances) {
  // x has five calls over the whole run, at distances of 2, 2, 2 and 34.
  EXPECT_THAT(periods_on(2, times(4, "xa") + times(32, "a") + "x" + times(4, "a")),
              ElementsAre("a x 40 from 10 to 440"));
}

TEST(CallPeriods, BeginWithARegionOfTheUser) {
  EXPECT_THAT(periods_on(2, times(10, "1aaB") + "B"), ElementsAre("1 x 10 from 0 to 360"));
  EXPECT_THAT(periods_on(2, times(5, "B" + times(4, "1a"))), ElementsAre("1 x 20 from 10 to 430"));
}

TEST(CallPeriods, AreThoseOfHalfOfTheRanksIfTheOthersNeverMakeTheCall) {
  const std::string work = times(10, "abC");
  EXPECT_THAT(periods({times(7, "xyz"), work, work, work}), ElementsAre("C x 10 from 20 to 290 on 123"));
  EXPECT_THAT(periods({times(7, "xyz"), times(7, "uv"), work, work}), ElementsAre("C x 10 from 20 to 290 on 23"));
  EXPECT_THAT(periods({times(7, "xyz"), times(7, "uv"), "s", work, work}), IsEmpty());
  EXPECT_THAT(periods({times(30, "x"), work}), IsEmpty()) << "one rank alone";
}

TEST(CallPeriods, AreThoseOfMoreRanksIfTheyCoverTheSameTime) {
  EXPECT_THAT(periods({times(10, "aad"), times(10, "aBd"), times(10, "aBd")}), ElementsAre("d x 10 from 20 to 290"));
}

/// Rank 0 calls function 1 from place 10, the others from place 20; all call function 2 from one place, `inner` times.
std::vector<CallPeriod> in_branches(std::size_t ranks, int inner, MarkerKind kind) {
  CallPeriods found{ranks};
  for (std::size_t rank = 0; rank < ranks; ++rank)
    for (std::int64_t i = 0; i < 10; ++i) {
      found.add(rank, {.call = 1, .site = rank == 0 ? 10U : 20U}, kind, 100 * i);
      for (int k = 0; k < inner; ++k) found.add(rank, {.call = 2, .site = 30}, kind, 100 * i + 10);
    }
  return found.find(1000);
}

TEST(CallPeriods, MayBeginWithACollectiveThatRanksCallFromDifferentPlaces) {
  for (const std::size_t ranks : {2U, 4U}) {
    const std::vector<CallPeriod> found = in_branches(ranks, 3, MarkerKind::collective);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].key, (CallKey{.call = 1, .site = CallKey::kAnyPlace}));
    EXPECT_EQ(found[0].count, 10U);
    EXPECT_EQ(found[0].ranks.size(), ranks);
  }
}

TEST(CallPeriods, BeginWithACallFromOnePlaceIfItComesAsOften) {
  const std::vector<CallPeriod> found = in_branches(4, 1, MarkerKind::collective);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].key, (CallKey{.call = 2, .site = 30}));
}

TEST(CallPeriods, DoNotBeginWithOtherCallsFromDifferentPlaces) {
  const std::vector<CallPeriod> found = in_branches(2, 3, MarkerKind::other);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].key, (CallKey{.call = 2, .site = 30}));
}

TEST(CallPeriods, CoverATwentiethOfTheRunAtLeast) {
  CallPeriods found{1};
  for (std::int64_t i = 0; i < 10; ++i) found.add(0, {.call = 1}, MarkerKind::other, 10 * i);
  EXPECT_EQ(found.find(2000).size(), 1U);
  EXPECT_EQ(found.find(2001).size(), 0U);
}

}  // namespace
}  // namespace meridian
