// SPDX-License-Identifier: Apache-2.0
// Repair where some clocks have bounds and others have none: repair_streams on calls that are written down one by one.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "clocks/random_program.hpp"

namespace meridian {
namespace {

using test::Program;
using testing::ElementsAre;

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kBoundNs = 500;  // T1 of the hosts with bounds

/// Ranks on hosts of their own.
struct BoundHosts {
  Program program;
  Clocks clocks;

  explicit BoundHosts(std::int32_t ranks) : program{ranks, 1, 1} {
    clocks.domains = static_cast<std::uint32_t>(ranks);
    clocks.bounds.domains.resize(clocks.domains);
    clocks.jumps.resize(clocks.domains);
    for (std::uint32_t h = 0; h < clocks.domains; ++h) {
      clocks.domain_of.push_back(h);
      for (int k = 0; k <= 20; ++k)
        clocks.bounds.domains[h].push_back({k * kSecond, {kBoundNs, kBoundNs}, {kBoundNs, kBoundNs}, 0, true});
    }
  }
  /// Takes the bounds of a host from one second to another.
  void unbind(std::uint32_t host, std::size_t from_s, std::size_t to_s) {
    for (std::size_t k = from_s; k <= to_s; ++k) clocks.bounds.domains[host][k].is_certified = false;
  }
  EventRef add(std::size_t rank, std::int64_t enter, std::int64_t leave) {
    auto& at = program.threads[rank];
    at.calls.push_back({enter, leave});
    return {at.rank, at.thread, at.calls.size() - 1};
  }
  void message(const EventRef& send, const EventRef& receive) {
    program.messages.push_back({.send = send, .post = receive, .completion = receive});
  }
  void allreduce(std::vector<EventRef> calls) {
    const std::uint64_t instance = program.parts.empty() ? 0 : program.parts.back().instance + 1;
    for (std::size_t i = 0; i < calls.size(); ++i)
      program.parts.push_back({.instance = instance,
                               .shape = CollectiveShape::all_to_all,
                               .comm_rank = static_cast<std::int32_t>(i),
                               .root = -1,
                               .start = calls[i],
                               .completion = calls[i]});
  }
};

TEST(GiveWay, ASendWithoutABoundIsPutBeforeAReceiveThatHasOne) {
  BoundHosts hosts{2};
  hosts.unbind(1, 9, 11);
  const EventRef late = hosts.add(1, 10 * kSecond, 10 * kSecond + 300);
  hosts.message(late, hosts.add(0, 9 * kSecond, 9 * kSecond + 100));
  const auto repaired = test::repair(hosts.program, hosts.clocks);
  ASSERT_TRUE(repaired) << repaired.error().what;
  EXPECT_THAT(repaired->calls[0], ElementsAre(TimePair{9 * kSecond, 9 * kSecond + 100}));
  EXPECT_EQ(repaired->calls[1][0].enter_ns, 9 * kSecond + 99);
  EXPECT_EQ(repaired->info.gave_way, 1u);
  EXPECT_EQ(repaired->info.moved, 0u);
}

TEST(GiveWay, TheEnterOfACollectiveIsPutBeforeTheFirstExitThatHasABound) {
  BoundHosts hosts{3};
  hosts.unbind(2, 9, 11);
  hosts.allreduce({hosts.add(0, 9 * kSecond, 9 * kSecond + 400), hosts.add(1, 9 * kSecond, 9 * kSecond + 500),
                   hosts.add(2, 10 * kSecond, 10 * kSecond + 300)});
  const auto repaired = test::repair(hosts.program, hosts.clocks);
  ASSERT_TRUE(repaired) << repaired.error().what;
  EXPECT_THAT(repaired->calls[0], ElementsAre(TimePair{9 * kSecond, 9 * kSecond + 400}));
  EXPECT_THAT(repaired->calls[1], ElementsAre(TimePair{9 * kSecond, 9 * kSecond + 500}));
  EXPECT_EQ(repaired->calls[2][0].enter_ns, 9 * kSecond + 399);
}

TEST(GiveWay, CallsBeforeItMoveByAsMuchUpToOneThatFollowedAnEventWithABound) {
  BoundHosts hosts{2};
  hosts.unbind(1, 8, 12);
  hosts.message(hosts.add(0, 9 * kSecond, 9 * kSecond + 10), hosts.add(1, 9 * kSecond, 9 * kSecond + 100));
  hosts.add(1, 10 * kSecond, 10 * kSecond + 200);  // after the step, one second late
  const EventRef late = hosts.add(1, 10 * kSecond + 1000, 10 * kSecond + 1300);
  hosts.message(late, hosts.add(0, 9 * kSecond + 900, 9 * kSecond + 1101));
  const auto repaired = test::repair(hosts.program, hosts.clocks);
  ASSERT_TRUE(repaired) << repaired.error().what;
  EXPECT_THAT(repaired->calls[0],
              ElementsAre(TimePair{9 * kSecond, 9 * kSecond + 10}, TimePair{9 * kSecond + 900, 9 * kSecond + 1101}));
  EXPECT_EQ(repaired->calls[1][0].leave_ns, 9 * kSecond + 1);
  EXPECT_EQ(repaired->calls[1][1], (TimePair{9 * kSecond + 100, 9 * kSecond + 300}));
  EXPECT_EQ(repaired->calls[1][2].enter_ns, 9 * kSecond + 1100);
}

TEST(GiveWay, ADeadlineReachesHostsThatSendThroughAnotherOneWithoutBounds) {
  BoundHosts hosts{3};
  hosts.unbind(1, 9, 11);
  hosts.unbind(2, 9, 11);
  hosts.message(hosts.add(2, 10 * kSecond, 10 * kSecond + 10), hosts.add(1, 10 * kSecond, 10 * kSecond + 100));
  hosts.message(hosts.add(1, 10 * kSecond + 200, 10 * kSecond + 210), hosts.add(0, 9 * kSecond, 9 * kSecond + 50));
  const auto repaired = test::repair(hosts.program, hosts.clocks);
  ASSERT_TRUE(repaired) << repaired.error().what;
  EXPECT_THAT(repaired->calls[0], ElementsAre(TimePair{9 * kSecond, 9 * kSecond + 50}));
  EXPECT_LT(repaired->calls[2][0].enter_ns, repaired->calls[1][0].leave_ns);
  EXPECT_LE(repaired->calls[1][0].leave_ns, repaired->calls[1][1].enter_ns);
  EXPECT_LT(repaired->calls[1][1].enter_ns, 9 * kSecond + 50);
}

TEST(GiveWay, EventsThatAllHaveBoundsOrNoneStayAsTheyAre) {
  for (const bool has_bounds : {true, false}) {
    BoundHosts hosts{2};
    if (!has_bounds) hosts.clocks.bounds.domains.clear();
    hosts.message(hosts.add(1, 10'000, 10'100), hosts.add(0, 9'000, 9'500));
    const auto repaired = test::repair(hosts.program, hosts.clocks);
    ASSERT_TRUE(repaired) << repaired.error().what;
    EXPECT_THAT(repaired->calls[1], ElementsAre(TimePair{10'000, 10'100}));
    EXPECT_EQ(repaired->calls[0][0].leave_ns, 10'001);
    EXPECT_EQ(repaired->info.gave_way, 0u);
  }
}

TEST(GiveWay, AMoveIsTakenBackWhereTheClockHasABound) {
  BoundHosts hosts{2};
  hosts.unbind(1, 4, 6);
  hosts.message(hosts.add(0, 8 * kSecond, 8 * kSecond + 10), hosts.add(1, 5 * kSecond, 5 * kSecond + 10));
  hosts.add(1, 9 * kSecond, 9 * kSecond + 20);
  const auto repaired = test::repair(hosts.program, hosts.clocks);
  ASSERT_TRUE(repaired) << repaired.error().what;
  EXPECT_EQ(repaired->calls[1][0].leave_ns, 8 * kSecond + 1);
  // At 1 ms a second it would last for 50 minutes.
  EXPECT_EQ(repaired->calls[1][1], (TimePair{9 * kSecond + kBoundNs, 9 * kSecond + 19 + kBoundNs}));
}

TEST(GiveWay, ARampLeavesEventsWithABoundWithinIt) {
  BoundHosts hosts{2};
  hosts.unbind(1, 5, 7);
  hosts.add(1, 3 * kSecond, 3 * kSecond + 10);
  hosts.message(hosts.add(0, 8 * kSecond, 8 * kSecond + 10), hosts.add(1, 6 * kSecond, 6 * kSecond + 10));
  const auto repaired = test::repair(hosts.program, hosts.clocks);
  ASSERT_TRUE(repaired) << repaired.error().what;
  EXPECT_EQ(repaired->calls[1][0], (TimePair{3 * kSecond + kBoundNs, 3 * kSecond + 10 + kBoundNs}));
  EXPECT_EQ(repaired->calls[1][1].leave_ns, 8 * kSecond + 1);
}

TEST(GiveWay, AMoveDoesNotLastBeyondAStepOfTheClock) {
  BoundHosts hosts{2};
  hosts.unbind(1, 4, 9);
  hosts.clocks.jumps[1].push_back({5 * kSecond, 8 * kSecond, 100});
  hosts.message(hosts.add(0, 6 * kSecond, 6 * kSecond + 10), hosts.add(1, 5 * kSecond - 10, 5 * kSecond));
  hosts.add(1, 8 * kSecond, 8 * kSecond + 20);
  const auto repaired = test::repair(hosts.program, hosts.clocks);
  ASSERT_TRUE(repaired) << repaired.error().what;
  EXPECT_EQ(repaired->calls[1][0].leave_ns, 6 * kSecond + 1);
  EXPECT_EQ(repaired->calls[1][1], (TimePair{8 * kSecond, 8 * kSecond + 20}));  // not at 9 s
}

/// Damage: messages that are paired wrongly, so that no times fit.
TEST(GiveWay, AContradictionBetweenEventsWithBoundsIsStillOrdered) {
  BoundHosts hosts{2};
  hosts.unbind(1, 9, 11);
  hosts.message(hosts.add(0, 12 * kSecond, 12 * kSecond + 10), hosts.add(1, 8 * kSecond, 8 * kSecond + 10));
  const EventRef send = hosts.add(1, 10 * kSecond, 10 * kSecond + 10);
  hosts.message(send, hosts.add(0, 13 * kSecond, 13 * kSecond + 10));
  const auto repaired = test::repair(hosts.program, hosts.clocks);
  ASSERT_TRUE(repaired) << repaired.error().what;
  EXPECT_EQ(repaired->info.reversed_after, 0u);
  EXPECT_EQ(repaired->calls[1][0].leave_ns, 12 * kSecond + 1);
}

}  // namespace
}  // namespace meridian
