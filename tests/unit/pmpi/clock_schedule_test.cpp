// SPDX-License-Identifier: Apache-2.0
// The pairs of hosts for every number of hosts up to 300 and for larger ones around powers of two, computed round by round
// as the hosts do.

#include "pmpi/clocks/schedule.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace meridian {
namespace {

constexpr int kMostDomains = 2000;
constexpr int kMostStar = 64;

/// Every small number of hosts, and those at which the number of rounds changes.
std::vector<int> numbers_of_domains() {
  std::vector<int> numbers(300);
  std::iota(numbers.begin(), numbers.end(), 1);
  for (const int power : {512, 1024})
    for (int off = -2; off <= 2; ++off) numbers.push_back(power + off);
  numbers.insert(numbers.end(), {777, 1500, kMostDomains - 1, kMostDomains});
  return numbers;
}

/// The actions of the domains in one round.
std::vector<Meeting> meetings_of(int round, int domains, int most_star) {
  std::vector<Meeting> meetings;
  meetings.reserve(static_cast<std::size_t>(domains));
  for (int domain = 0; domain < domains; ++domain) meetings.push_back(meeting_in(round, domain, domains, most_star));
  return meetings;
}

int root_of(const std::vector<int>& parents, int domain) {
  while (parents[static_cast<std::size_t>(domain)] != domain) domain = parents[static_cast<std::size_t>(domain)];
  return domain;
}

TEST(ClockSchedule, BothSidesOfAPairMeetInTheSameRoundAndOneOfThemAsks) {
  long pairs = 0;
  for (const int domains : numbers_of_domains()) {
    for (int round = 0; round < meeting_rounds(domains, kMostStar); ++round) {
      const std::vector<Meeting> meetings = meetings_of(round, domains, kMostStar);
      for (int domain = 0; domain < domains; ++domain) {
        const Meeting& mine = meetings[static_cast<std::size_t>(domain)];
        ASSERT_EQ(mine.round, round);
        if (mine.peer < 0) continue;
        ASSERT_LT(mine.peer, domains);
        ASSERT_NE(mine.peer, domain);
        const Meeting& theirs = meetings[static_cast<std::size_t>(mine.peer)];
        ASSERT_EQ(theirs.peer, domain) << domains << " domains, round " << round;
        ASSERT_EQ(mine.asks, domain < mine.peer);
        ASSERT_NE(mine.asks, theirs.asks);
        ++pairs;
      }
    }
  }
  EXPECT_GT(pairs, 2 * kMostDomains);
}

TEST(ClockSchedule, EveryDomainIsConnectedAndNoPairMeetsTwice) {
  for (const int domains : numbers_of_domains()) {
    std::vector<int> parents(static_cast<std::size_t>(domains));
    std::iota(parents.begin(), parents.end(), 0);
    std::vector<std::pair<int, int>> seen;
    for (int round = 0; round < meeting_rounds(domains, kMostStar); ++round)
      for (int domain = 0; domain < domains; ++domain) {
        const Meeting meeting = meeting_in(round, domain, domains, kMostStar);
        if (meeting.peer < 0 || !meeting.asks) continue;
        seen.emplace_back(domain, meeting.peer);
        const int a = root_of(parents, domain), b = root_of(parents, meeting.peer);
        parents[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
      }
    std::ranges::sort(seen);
    ASSERT_EQ(std::ranges::adjacent_find(seen), seen.end());
    for (int domain = 0; domain < domains; ++domain) ASSERT_EQ(root_of(parents, domain), 0) << domains << " domains";
  }
}

TEST(ClockSchedule, RoundsGrowWithTheLogarithmAboveAStar) {
  EXPECT_EQ(meeting_rounds(1, kMostStar), 0);
  EXPECT_EQ(meeting_rounds(2, kMostStar), 1);
  EXPECT_EQ(meeting_rounds(kMostStar, kMostStar), kMostStar - 1);
  EXPECT_EQ(meeting_rounds(kMostStar + 1, kMostStar), 7);
  EXPECT_EQ(meeting_rounds(128, kMostStar), 7);
  EXPECT_EQ(meeting_rounds(129, kMostStar), 8);
  EXPECT_EQ(meeting_rounds(1024, kMostStar), 10);
  EXPECT_EQ(meeting_rounds(kMostDomains, kMostStar), 11);
  EXPECT_EQ(meeting_rounds(2, 1), 1);
  EXPECT_EQ(meeting_rounds(5, 1), 3);
}

// Each domain goes through its rounds in order and stays in one until its peer is there.
TEST(ClockSchedule, NoDomainWaitsForever) {
  for (const int most_star : {1, kMostStar}) {
    for (int domains = 1; domains <= 200; ++domains) {
      const int rounds = meeting_rounds(domains, most_star);
      std::vector<int> at(static_cast<std::size_t>(domains), 0);
      for (bool has_moved = true; has_moved;) {
        has_moved = false;
        for (int domain = 0; domain < domains; ++domain) {
          int& mine = at[static_cast<std::size_t>(domain)];
          if (mine == rounds) continue;
          const Meeting meeting = meeting_in(mine, domain, domains, most_star);
          if (meeting.peer >= 0) {
            int& theirs = at[static_cast<std::size_t>(meeting.peer)];
            if (theirs != mine) continue;
            ++theirs;
          }
          ++mine;
          has_moved = true;
        }
      }
      for (const int round : at) ASSERT_EQ(round, rounds) << domains << " domains";
    }
  }
}

// The answering side takes the time of the next session from the asking one: domain 0's schedule reaches all in one
// batch.
TEST(ClockSchedule, DataOfTheFirstDomainReachAllInOnePassThroughTheRounds) {
  for (const int most_star : {1, kMostStar}) {
    for (const int domains : numbers_of_domains()) {
      std::vector<int> word(static_cast<std::size_t>(domains));
      std::iota(word.begin(), word.end(), 0);
      for (int round = 0; round < meeting_rounds(domains, most_star); ++round)
        for (int domain = 0; domain < domains; ++domain) {
          const Meeting meeting = meeting_in(round, domain, domains, most_star);
          if (meeting.peer >= 0 && meeting.asks)
            word[static_cast<std::size_t>(meeting.peer)] = word[static_cast<std::size_t>(domain)];
        }
      for (const int heard : word) ASSERT_EQ(heard, 0) << domains << " domains";
    }
  }
}

TEST(EpochGrid, NextPointIsAMultipleOfTheStrideAfterNow) {
  constexpr EpochGrid kGrid{10, 1000};
  EXPECT_EQ(kGrid.next_after(1000, 1), 1010);
  EXPECT_EQ(kGrid.next_after(1009, 1), 1010);
  EXPECT_EQ(kGrid.next_after(1010, 1), 1020);
  EXPECT_EQ(kGrid.next_after(1011, 4), 1040);
  EXPECT_EQ(kGrid.next_after(999, 1), 1000);
  EXPECT_EQ(kGrid.next_after(990, 1), 1000);
  EXPECT_EQ(kGrid.next_after(989, 1), 990);
  EXPECT_EQ(kGrid.next_after(955, 4), 960);
}

TEST(EpochPace, APairThatMissesTriesAtOnceWithMorePatienceThenLessOften) {
  constexpr EpochGrid kGrid{1000, 0};
  EpochPace pace{.due_ns = 1000};
  std::vector<std::int64_t> patience;
  for (int attempt = 0; attempt < EpochPace::kMostMisses; ++attempt) {
    EXPECT_EQ(pace.due_ns, 1000);
    patience.push_back(pace.patience_ns(0));
    pace.missed(kGrid, 1001);
  }
  EXPECT_EQ(patience, (std::vector<std::int64_t>{200'000, 1'000'000, 5'000'000, 20'000'000}));
  EXPECT_EQ(pace.due_ns, 2000);
  EXPECT_EQ(pace.stride, 2);
  for (int attempt = 0; attempt < 20 * EpochPace::kMostMisses; ++attempt) pace.missed(kGrid, pace.due_ns);
  EXPECT_EQ(pace.stride, EpochPace::kMostStride);
  EXPECT_EQ(pace.due_ns % (1000 * EpochPace::kMostStride), 0);
  pace.met(kGrid, pace.due_ns + 1);
  EXPECT_EQ(pace.stride, 1);
  EXPECT_EQ(pace.due_ns % 1000, 0);
}

TEST(EpochPace, LaterRoundsWaitForTheEarlierOnes) {
  const EpochPace pace;
  EXPECT_EQ(pace.patience_ns(0), 200'000);
  EXPECT_EQ(pace.patience_ns(4), 1'000'000);
  EXPECT_EQ(pace.patience_ns(1000), 20'000'000);
}

}  // namespace
}  // namespace meridian
