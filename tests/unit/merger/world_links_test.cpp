// SPDX-License-Identifier: Apache-2.0
// Pairs of calls in two worlds that created one communicator, identified by ports, sockets or leaders.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iterator>
#include <random>

#include "tests/support/seed.hpp"
#include "worlds_fixture.hpp"

namespace meridian::test {
namespace {

/// World 0 accepts at given times, the others, of one rank each, connect.
class Ports : public Worlds {
 protected:
  Ports() : Worlds({1, 1, 1}) {}
  void accept(std::uint64_t handle, At at) {
    add(ranks[0][0], {handle, kWorld, 1, 0, 1, 1}, CallId::Comm_accept, at);
    say(ranks[0][0], handle, "accept tcp://host:1;2", at.leave);
  }
  void connect(std::size_t world, At at, std::int32_t remote_size = 1, const std::string& port = "tcp://host:1;2") {
    add(ranks[world][0], {kOther, kWorld, 1, 0, remote_size, 1}, CallId::Comm_connect, at);
    say(ranks[world][0], kOther, "connect " + port, at.leave);
  }
};

TEST_F(Ports, ConsecutiveClientsArePairedByTheTimesOfTheirCalls) {
  accept(kInter, {10, 20});
  accept(kHalf, {30, 40});
  connect(2, {12, 21});
  connect(1, {32, 41});
  Communicators all = unify();
  EXPECT_EQ(comm_at(all, 2, kOther), comm_at(all, 0, kInter));
  EXPECT_EQ(comm_at(all, 1, kOther), comm_at(all, 0, kHalf));
  EXPECT_EQ(unpaired(), 0U);
}

TEST_F(Ports, AClientThatFitsOnlyTheFirstCallLeavesTheSecondToAnother) {
  accept(kInter, {10, 20});
  accept(kHalf, {30, 40});
  connect(1, {5, 41});
  connect(2, {12, 21});
  Communicators all = unify();
  EXPECT_EQ(comm_at(all, 2, kOther), comm_at(all, 0, kInter));
  EXPECT_EQ(comm_at(all, 1, kOther), comm_at(all, 0, kHalf));
}

TEST_F(Ports, ClientsThatWaitTogetherStayUnpaired) {
  accept(kInter, {10, 20});
  accept(kHalf, {21, 40});
  connect(1, {5, 22});
  connect(2, {5, 41});
  Communicators all = unify();
  EXPECT_EQ(unpaired(), 4U);
}

TEST_F(Ports, AnUntracedClientIsNotMistakenForTheTracedOne) {
  accept(kInter, {10, 20});  // from a process outside of the trace
  accept(kHalf, {21, 40});
  connect(1, {12, 41});
  Communicators all = unify();
  EXPECT_EQ(unpaired(), 3U) << "it may have been either";
}

TEST_F(Ports, OtherPortsAndOtherSizesDoNotFit) {
  accept(kInter, {10, 20});
  connect(1, {12, 21}, 2);
  connect(2, {12, 21}, 1, "tcp://host:1;3");
  Communicators all = unify();
  EXPECT_EQ(unpaired(), 3U);
}

TEST_F(Worlds, TheEndsOfASocketJoinInTheirOrder) {
  make({1, 1});
  for (std::size_t world = 0; world < 2; ++world)
    for (const std::uint64_t handle : {kInter, kHalf}) {
      const At at = handle == kInter ? At{10, 20} : At{30, 40};
      add(ranks[world][0], {handle, 0, 1, 0, 1, 1}, CallId::Comm_join, at);
      say(ranks[world][0], handle, "join tcp:127.0.0.1:1:127.0.0.1:2", at.leave);
    }
  Communicators all = unify();
  EXPECT_EQ(comm_at(all, 0, kInter), comm_at(all, 1, kInter));
  EXPECT_EQ(comm_at(all, 0, kHalf), comm_at(all, 1, kHalf));
  EXPECT_NE(comm_at(all, 0, kInter), comm_at(all, 0, kHalf));
}

TEST_F(Worlds, UnknownSocketsAreNotPaired) {
  make({1, 1});
  for (std::size_t world = 0; world < 2; ++world) {
    add(ranks[world][0], {kInter, 0, 1, 0, 1, 1}, CallId::Comm_join, {10, 20});
    say(ranks[world][0], kInter, "join -", 20);
  }
  Communicators all = unify();
  EXPECT_EQ(unpaired(), 2U);
}

TEST_F(Worlds, LeadersOfAnIntercommunicatorAreKnownByTheirCommunicator) {
  make({1, 1});
  spawn(0, 1, "abc");
  for (std::size_t world = 0; world < 2; ++world) {
    const std::uint64_t parent = world == 0 ? kInter : kOther;
    const auto me = static_cast<std::int32_t>(world);
    add(ranks[world][0], {kMerged, parent, 2, me, 0, 77}, CallId::Intercomm_merge, {30, 40});
    add(ranks[world][0], {kHalf, kWorld, 1, 0, 1, 1}, CallId::Intercomm_create, {50, 60});
    say(ranks[world][0], kHalf, world == 0 ? "leaders 00000000000000b0 0 1 9" : "leaders 00000000000000b0 1 0 9", 60);
  }
  Communicators all = unify();
  EXPECT_EQ(comm_at(all, 0, kHalf), comm_at(all, 1, kHalf));
  EXPECT_EQ(unpaired(), 0U);
}

TEST_F(Worlds, LinksOfALaterVersionAreIgnored) {
  spawn(0, 1, "abc");
  say(ranks[0][1], kInter, "telepathy 7", 21);
  Communicators all = unify();
  EXPECT_EQ(unpaired(), 0U);
}

/// For any content of damaged files, pairing the communicators between worlds terminates, and both sides of each pair
/// have their groups.
TEST_F(Worlds, SearchOfRandomLinksTerminates) {
  static const char* const kTexts[] = {"spawn t",          "spawned t",        "spawn -", "spawned -",
                                       "accept p",         "connect p",        "join e",  "leaders a1 0 1 7",
                                       "leaders a1 1 0 7", "leaders a2 0 1 7", "leaders", ""};
  std::mt19937 random{test::seeded(7)};
  const auto below = [&](std::uint32_t bound) { return static_cast<std::uint32_t>(random() % bound); };
  for (int round = 0; round < 500; ++round) {
    make({2, 1, 3});
    findings = {};
    for (auto& world : ranks)
      for (SyntheticRank& rank : world)
        for (std::uint64_t handle = 0xa1; handle < 0xa6; ++handle) {
          const auto size = static_cast<std::int32_t>(1 + below(3));
          const std::uint64_t at = 10 * (handle - 0xa0);
          add(rank,
              {handle, below(3) == 0 ? kWorld : 0xa0 + below(6), size,
               static_cast<std::int32_t>(below(static_cast<std::uint32_t>(size))), static_cast<std::int32_t>(below(3)),
               below(3), below(3)},
              below(2) == 0 ? CallId::Comm_spawn : CallId::none, {at, at + below(12)});
          say(rank, handle, kTexts[below(std::size(kTexts))], at + below(20));
        }
    Communicators all = unify();
    for (const CommResolver& resolver : all.resolvers)
      for (const CommResolver::Birth& birth : resolver.births()) {
        ASSERT_LT(birth.comm.comm, all.list.size());
        ASSERT_NE(birth.comm.own, nullptr);
        ASSERT_NE(birth.comm.peers, nullptr);
      }
  }
}

}  // namespace
}  // namespace meridian::test
