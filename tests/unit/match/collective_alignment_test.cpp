// SPDX-License-Identifier: Apache-2.0
// Alignment of the collectives of ranks whose recordings began at different calls.

#include "merger/match/collectives/collective_alignment.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

#include "tests/support/seed.hpp"

namespace meridian {
namespace {

using ::testing::ElementsAre;
using One = ResumedCollectives::One;

constexpr auto kUnknown = CollectiveStarts::kUnknown;
constexpr auto kEnd = std::numeric_limits<std::int64_t>::max();

/// Rank 0's collectives wait for all from 1000 i to 1000 i + 500.
ResumedCollectives rank(std::uint32_t index, std::int64_t first, std::int64_t last, std::int64_t late_ns = 0) {
  ResumedCollectives one{index, 0, kEnd, {}};
  for (std::int64_t i = first; i < last; ++i)
    one.calls.push_back({1'000'000 * i + late_ns, 1'000'000 * i + 500'000 + late_ns, 1, -1, true});
  return one;
}

TEST(CollectiveAlignment, RanksThatBeginTogetherNeedNoShift) {
  EXPECT_THAT(align_collectives(std::vector{rank(0, 5, 20), rank(1, 5, 20, 300'000)}), ElementsAre(0, 0));
}

TEST(CollectiveAlignment, RanksThatBeginLaterMissedTheFirst) {
  EXPECT_THAT(align_collectives(std::vector{rank(0, 7, 20), rank(1, 5, 20), rank(2, 10, 20, 100'000)}),
              ElementsAre(2, 0, 5));
}

TEST(CollectiveAlignment, RanksThatEndEarlierLackTheLast) {
  ResumedCollectives earlier = rank(1, 5, 12);
  earlier.until_ns = 12'000'000;
  EXPECT_THAT(align_collectives(std::vector{rank(0, 7, 20), earlier}), ElementsAre(2, 0));
}

TEST(CollectiveAlignment, RanksThatNeverOverlapAreNotAligned) {
  ResumedCollectives earlier = rank(1, 5, 12);
  earlier.until_ns = 12'000'000;
  EXPECT_THAT(align_collectives(std::vector{rank(0, 15, 20), earlier}), ElementsAre(kUnknown, 0));
}

TEST(CollectiveAlignment, FunctionsAndRootsHaveToAgree) {
  ResumedCollectives other = rank(1, 5, 20);
  other.calls[3].call = 2;
  EXPECT_THAT(align_collectives(std::vector{rank(0, 5, 20), other}), ElementsAre(0, kUnknown));
  other = rank(1, 5, 20);
  other.calls[3].root = 0;
  EXPECT_THAT(align_collectives(std::vector{rank(0, 5, 20), other}), ElementsAre(0, kUnknown));
}

TEST(CollectiveAlignment, CollectivesThatDoNotWaitTellNothing) {
  std::vector<ResumedCollectives> ranks{rank(0, 5, 20), rank(1, 5, 20)};
  for (ResumedCollectives& one : ranks)
    for (One& call : one.calls) call.waits_for_all = false;
  EXPECT_THAT(align_collectives(ranks), ElementsAre(0, kUnknown));
}

TEST(CollectiveAlignment, OneOfTwoPossibleShiftsIsNotChosen) {
  ResumedCollectives one{0, 0, 100, {{0, 50, 1, -1, true}, {51, 100, 1, -1, true}}};
  ResumedCollectives other{1, 0, kEnd, {{40, 60, 1, -1, true}, {61, 600'000, 1, -1, true}}};
  EXPECT_THAT(align_collectives(std::vector{one, other}), ElementsAre(0, kUnknown));
}

TEST(CollectiveAlignment, RandomRanksAreAlignedRightlyOrNotAtAll) {
  std::size_t aligned = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    std::mt19937_64 random{test::seeded(seed)};
    const auto below = [&](std::int64_t bound) {
      return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(bound));
    };
    constexpr std::size_t kRanks = 3;
    std::vector<ResumedCollectives> ranks(kRanks);
    std::vector<std::uint64_t> first(kRanks, kUnknown);
    std::int64_t now[kRanks] = {}, from[kRanks], until[kRanks];
    for (std::size_t r = 0; r < kRanks; ++r) {
      from[r] = below(20'000);
      until[r] = 30'000 + below(40'000);
      ranks[r].rank_index = static_cast<std::uint32_t>(r);
      ranks[r].until_ns = until[r];
    }
    for (std::uint64_t i = 0; i < 100; ++i) {
      std::int64_t last = 0;
      for (std::int64_t& each : now) last = std::max(last, each += below(1000));
      for (std::size_t r = 0; r < kRanks; ++r) {
        const std::int64_t enter = now[r];
        now[r] = last + 1 + below(200);
        if (enter < from[r] || enter > until[r]) continue;
        first[r] = std::min(first[r], i);
        ranks[r].calls.push_back({enter, now[r], static_cast<std::uint16_t>(1 + i % 7 / 6), -1, true});
      }
    }
    const auto starts = align_collectives(ranks);
    const std::uint64_t least = *std::ranges::min_element(first);
    for (std::size_t r = 0; r < kRanks; ++r) {
      if (starts[r] == kUnknown) continue;
      ++aligned;
      ASSERT_EQ(starts[r], first[r] - least) << "seed " << seed << " rank " << r;
    }
  }
  EXPECT_GT(aligned, 800U);
}

}  // namespace
}  // namespace meridian
