// SPDX-License-Identifier: Apache-2.0
// Identity and members of communicators, and the meaning of handles.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "merged_reader.hpp"
#include "merger/load/unify_definitions.hpp"
#include "synthetic_trace.hpp"

namespace meridian::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Definitions of the ranks of a run, without any files.
class Definitions : public ::testing::Test {
 protected:
  Findings findings;

  Communicators unify(std::vector<SyntheticRank>& ranks, std::int32_t world_size) {
    std::vector<const RankMeta*> metas;
    metas.reserve(ranks.size());
    for (const SyntheticRank& rank : ranks) metas.push_back(&rank.meta);
    return unify_definitions(metas, world_size, findings);
  }
  static std::vector<SyntheticRank> world(std::int32_t size) {
    std::vector<SyntheticRank> ranks;
    ranks.reserve(static_cast<std::size_t>(size));
    for (std::int32_t rank = 0; rank < size; ++rank) ranks.emplace_back(rank, size);
    return ranks;
  }
};

TEST_F(Definitions, WorldIsTheFirstAndSelvesFollow) {
  auto ranks = world(3);
  const Communicators all = unify(ranks, 3);
  ASSERT_EQ(all.list.size(), 4U);
  EXPECT_EQ(all.list[0].name, "MPI_COMM_WORLD");
  EXPECT_THAT(all.groups[all.list[0].group], ElementsAre(0, 1, 2));
  EXPECT_EQ(all.list[2].kind, CommKind::self);
  EXPECT_THAT(all.groups[all.list[2].group], ElementsAre(1));
  CommResolver resolver = all.resolvers[1];
  EXPECT_EQ(resolver.at(kWorld, 10)->comm, 0U);
  EXPECT_EQ(resolver.at(kSelf, 10)->comm, 2U);
}

TEST_F(Definitions, WorldOfOneRankAndItsSelfAreTwo) {
  auto ranks = world(1);
  Communicators all = unify(ranks, 1);
  EXPECT_EQ(all.resolvers[0].at(kWorld, 1)->comm, 0U);
  EXPECT_EQ(all.resolvers[0].at(kSelf, 1)->comm, 1U);
}

TEST_F(Definitions, GroupsThatAreOnlyClaimedTakeNoMemory) {
  auto ranks = world(2);
  constexpr std::uint64_t kComms = 100;
  for (std::uint64_t i = 0; i < kComms; ++i) {
    ranks[0].add_comm(0x100 + i, kWorld, {0, 1}, CallId::Comm_split, {10 * i + 1, 10 * i + 2});
    CommBirth& birth = ranks[0].meta.comms.back().birth;
    birth.local_hash = i;
    birth.local_size = birth.remote_size = 1 << 24;
    birth.local_rank = i % 2 == 0 ? 0 : (1 << 24) - 1;
  }
  const Communicators all = unify(ranks, 2);
  ASSERT_EQ(all.list.size(), 3 + kComms);
  std::size_t members = 0;
  for (const Group& group : all.groups) members += group.size();
  EXPECT_LT(members, std::size_t{1} << 23);
  EXPECT_EQ(findings.count(FindingId::comm_members), kComms);
}

TEST_F(Definitions, SplitMakesOneCommunicatorAColour) {
  auto ranks = world(4);
  ranks[0].add_comm(0xa, kWorld, {0, 2}, CallId::Comm_split, {1, 2});
  ranks[1].add_comm(0xb, kWorld, {3, 1}, CallId::Comm_split, {1, 2});  // handles differ from rank to rank
  ranks[2].add_comm(0xc, kWorld, {0, 2}, CallId::Comm_split, {1, 2});
  ranks[3].add_comm(0xd, kWorld, {3, 1}, CallId::Comm_split, {1, 2});
  Communicators all = unify(ranks, 4);
  ASSERT_EQ(all.list.size(), 7U);
  EXPECT_EQ(all.resolvers[0].at(0xa, 5)->comm, 5U);
  EXPECT_EQ(all.resolvers[2].at(0xc, 5)->comm, 5U);
  EXPECT_EQ(all.resolvers[1].at(0xb, 5)->comm, 6U);
  EXPECT_EQ(all.resolvers[3].at(0xd, 5)->comm, 6U);
  EXPECT_THAT(all.groups[all.list[6].group], ElementsAre(3, 1));
  EXPECT_EQ(all.list[6].parent, 0U);
  EXPECT_EQ(all.resolvers[3].at(0xd, 5)->rank, 0);
}

TEST_F(Definitions, DuplicatesAreToldApartByTheirOrder) {
  auto ranks = world(2);
  for (int r = 0; r < 2; ++r) {
    ranks[static_cast<std::size_t>(r)].add_comm(0xa, kWorld, {0, 1}, CallId::Comm_dup, {10, 20});
    ranks[static_cast<std::size_t>(r)].add_comm(r == 0 ? 0xb : 0xc, kWorld, {0, 1}, CallId::Comm_dup, {30, 40});
    ranks[static_cast<std::size_t>(r)].add_comm(0xd, 0xa, {0, 1}, CallId::Comm_dup, {50, 60});  // of the first
  }
  Communicators all = unify(ranks, 2);
  ASSERT_EQ(all.list.size(), 6U);
  EXPECT_EQ(all.resolvers[0].at(0xb, 100)->comm, all.resolvers[1].at(0xc, 100)->comm);
  EXPECT_NE(all.resolvers[0].at(0xa, 100)->comm, all.resolvers[0].at(0xb, 100)->comm);
  EXPECT_EQ(all.list[all.resolvers[1].at(0xd, 100)->comm].parent, all.resolvers[1].at(0xa, 100)->comm);
}

TEST_F(Definitions, HandleMeansTheLatestThatWasMadeUnderIt) {
  auto ranks = world(1);
  ranks[0].add_comm(0xa, kWorld, {0}, CallId::Comm_dup, {10, 20});
  ranks[0].add_comm(0xa, kWorld, {0}, CallId::Comm_dup, {30, 40});
  Communicators all = unify(ranks, 1);
  CommResolver& resolver = all.resolvers[0];
  EXPECT_EQ(resolver.at(0xa, 19), nullptr);
  EXPECT_EQ(resolver.at(0xa, 20)->comm, 2U);
  EXPECT_EQ(resolver.at(0xa, 39)->comm, 2U);
  EXPECT_EQ(resolver.at(0xa, 40)->comm, 3U);
  EXPECT_EQ(resolver.at(0xa, 25)->comm, 2U) << "times may also be asked for backwards";
  EXPECT_EQ(resolver.at(0xe, 25), nullptr);
}

TEST_F(Definitions, IntercommunicatorHasTwoSides) {
  auto ranks = world(3);
  for (std::size_t r = 0; r < 2; ++r) {
    ranks[r].add_comm(0x1, kWorld, {0, 1}, CallId::Comm_split, {1, 2});
    ranks[r].add_comm(0xa, 0x1, {0, 1}, CallId::Intercomm_create, {10, 20}, 0, {2});
  }
  ranks[2].add_comm(0x1, kWorld, {2}, CallId::Comm_split, {1, 2});
  ranks[2].add_comm(0xa, 0x1, {2}, CallId::Intercomm_create, {10, 20}, 0, {0, 1});
  Communicators all = unify(ranks, 3);
  const LocalComm& zero = *all.resolvers[0].at(0xa, 100);
  const LocalComm& two = *all.resolvers[2].at(0xa, 100);
  EXPECT_EQ(zero.comm, two.comm);
  EXPECT_NE(zero.side, two.side);
  EXPECT_EQ(zero.world_rank(0), 2);
  EXPECT_EQ(two.world_rank(1), 1);
  EXPECT_EQ(two.world_rank(7), kUnknownMember);
  EXPECT_EQ(all.list[zero.comm].kind, CommKind::inter);
  EXPECT_EQ(all.list[zero.comm].parent, kNoComm) << "its sides were made from different communicators";
}

/// Makes two communicators in another order on each rank, as racing threads do, with a text about each.
void make_in_any_order(std::vector<SyntheticRank>& ranks, CallId call, const std::string (&texts)[2]) {
  for (std::uint64_t r = 0; r < 2; ++r)
    for (std::uint64_t i = 0; i < 2; ++i) {
      const std::uint64_t enter = 10 + 5 * (r ^ i), leave = enter + 20;  // they overlap
      ranks[r].add_comm(0xa + i, kWorld, {0, 1}, call, {enter, leave});
      ranks[r].meta.texts.push_back({kCommLinkKey, texts[i], 0xa + i, leave + 1});
    }
}

TEST_F(Definitions, CommunicatorsThatThreadsMakeAtOnceAreToldApartByTheirTags) {
  auto ranks = world(2);
  make_in_any_order(ranks, CallId::Comm_create_group, {"tag 3", "tag 4"});
  Communicators all = unify(ranks, 2);
  for (const std::uint64_t handle : {0xau, 0xbu})
    EXPECT_EQ(all.resolvers[0].at(handle, 100)->comm, all.resolvers[1].at(handle, 100)->comm);
  EXPECT_NE(all.resolvers[0].at(0xa, 100)->comm, all.resolvers[0].at(0xb, 100)->comm);
}

TEST_F(Definitions, CommunicatorsThatThreadsMakeAtOnceAreToldApartByTheirStrings) {
  auto ranks = world(2);
  make_in_any_order(ranks, CallId::Comm_create_from_group, {"string 00000000000000a1", "string 00000000000000a2"});
  Communicators all = unify(ranks, 2);
  EXPECT_EQ(all.resolvers[0].at(0xa, 100)->comm, all.resolvers[1].at(0xa, 100)->comm);
  EXPECT_NE(all.resolvers[0].at(0xa, 100)->comm, all.resolvers[0].at(0xb, 100)->comm);
}

TEST_F(Definitions, CommunicatorsWithEqualTagsAreToldApartByTheirOrder) {
  auto ranks = world(2);
  make_in_any_order(ranks, CallId::Comm_create_group, {"tag 3", "tag 3"});
  Communicators all = unify(ranks, 2);
  EXPECT_EQ(all.resolvers[0].at(0xa, 100)->comm, all.resolvers[1].at(0xb, 100)->comm);
}

TEST_F(Definitions, TagOfAReusedHandleBelongsToTheLatestCommunicator) {
  auto ranks = world(2);
  for (std::size_t r = 0; r < 2; ++r)
    for (std::uint64_t i = 0; i < 2; ++i) {
      ranks[r].add_comm(0xa, kWorld, {0, 1}, CallId::Comm_create_group, {10 + 100 * i, 20 + 100 * i});
      ranks[r].meta.texts.push_back({kCommLinkKey, (r ^ i) != 0 ? "tag 3" : "tag 4", 0xa, 21 + 100 * i});
    }
  Communicators all = unify(ranks, 2);
  EXPECT_EQ(all.resolvers[0].at(0xa, 50)->comm, all.resolvers[1].at(0xa, 150)->comm);
  EXPECT_EQ(all.resolvers[0].at(0xa, 150)->comm, all.resolvers[1].at(0xa, 50)->comm);
}

TEST_F(Definitions, IntercommunicatorsThatThreadsMakeAtOnceAreToldApartByTheirLeaders) {
  auto ranks = world(4);
  for (std::uint64_t r = 0; r < 4; ++r) {
    const std::vector<std::int32_t> own = r < 2 ? std::vector{0, 1} : std::vector{2, 3};
    const std::vector<std::int32_t> other = r < 2 ? std::vector{2, 3} : std::vector{0, 1};
    for (std::uint64_t i = 0; i < 2; ++i) {  // each thread has a communicator of its own
      ranks[r].add_comm(0x1 + i, kWorld, own, CallId::Comm_split, {1 + 2 * i, 2 + 2 * i});
      const std::uint64_t enter = 10 + 5 * ((r / 2) ^ i);
      ranks[r].add_comm(0xa + i, 0x1 + i, own, CallId::Intercomm_create, {enter, enter + 20}, 0, other);
      if (r % 2 == 0)
        ranks[r].meta.texts.push_back(
            {kCommLinkKey, "leaders 0000000044000000 " + std::string{r == 0 ? "0 2 " : "2 0 "} + (i == 0 ? "7" : "8"),
             0xa + i, enter + 21});
    }
  }
  ASSERT_EQ(kWorld, 0x44000000U);
  Communicators all = unify(ranks, 4);
  for (std::size_t r = 1; r < 4; ++r)
    for (const std::uint64_t handle : {0xau, 0xbu})
      EXPECT_EQ(all.resolvers[0].at(handle, 100)->comm, all.resolvers[r].at(handle, 100)->comm) << r;
  EXPECT_NE(all.resolvers[0].at(0xa, 100)->comm, all.resolvers[0].at(0xb, 100)->comm);
  EXPECT_EQ(all.resolvers[0].at(0xa, 100)->side, all.resolvers[1].at(0xa, 100)->side);
  EXPECT_NE(all.resolvers[0].at(0xa, 100)->side, all.resolvers[2].at(0xa, 100)->side);
  EXPECT_EQ(all.resolvers[3].at(0xa, 100)->world_rank(1), 1);
  EXPECT_THAT(findings.list(), IsEmpty());
}

TEST_F(Definitions, ParentIsTheCommunicatorThatTheHandleMeantAtTheCall) {
  auto ranks = world(2);
  for (std::size_t r = 0; r < 2; ++r) {
    ranks[r].add_comm(0xa, kWorld, {0, 1}, CallId::Comm_dup, {1, 2});
    ranks[r].add_comm(0xa, kWorld, {0, 1}, CallId::Comm_dup, {10, 50});  // of another thread, after the first was freed
    ranks[r].add_comm(0xb, 0xa, {0, 1}, CallId::Comm_dup, {11, 12});     // of the first
  }
  Communicators all = unify(ranks, 2);
  EXPECT_EQ(all.list[all.resolvers[0].at(0xb, 20)->comm].parent, all.resolvers[0].at(0xa, 5)->comm);
}

TEST_F(Definitions, MergedIntercommunicatorHasOneParent) {
  auto ranks = world(2);
  ranks[0].add_comm(0xa, kSelf, {0}, CallId::Intercomm_create, {10, 20}, 0, {1});
  ranks[1].add_comm(0xa, kSelf, {1}, CallId::Intercomm_create, {10, 20}, 0, {0});
  for (std::size_t r = 0; r < 2; ++r) ranks[r].add_comm(0xb, 0xa, {0, 1}, CallId::Intercomm_merge, {30, 40});
  Communicators all = unify(ranks, 2);
  EXPECT_EQ(all.resolvers[0].at(0xb, 50)->comm, all.resolvers[1].at(0xb, 50)->comm);
  EXPECT_EQ(all.list[all.resolvers[0].at(0xb, 50)->comm].parent, all.resolvers[0].at(0xa, 50)->comm);
}

TEST_F(Definitions, LeaderKnowsMembersWhoseFilesAreMissing) {
  auto ranks = world(3);
  ranks[0].add_comm(0xa, kWorld, {0, 2}, CallId::Comm_split, {1, 2});
  ranks[0].meta.members.push_back({0xa, 2, false, {0, 2}});
  ranks.resize(2, SyntheticRank{0, 3});
  const Communicators all = unify(ranks, 3);
  EXPECT_THAT(all.groups[all.list[4].group], ElementsAre(0, 2));
  EXPECT_THAT(findings.list(), IsEmpty());
}

TEST_F(Definitions, MembersThatNobodyNamesAreAFinding) {
  auto ranks = world(3);
  ranks[0].add_comm(0xa, kWorld, {2, 0}, CallId::Comm_split, {1, 2});
  ranks.resize(2, SyntheticRank{0, 3});
  const Communicators all = unify(ranks, 3);
  EXPECT_THAT(all.groups[all.list[4].group], ElementsAre(kUnknownMember, 0));
  ASSERT_EQ(findings.list().size(), 1U);
  EXPECT_EQ(findings.list()[0].name, "comm.members");
  EXPECT_EQ(findings.list()[0].detail, "communicator 4");
}

TEST_F(Definitions, NamesThatTheProgramGaveAreKept) {
  auto ranks = world(2);
  for (std::size_t r = 0; r < 2; ++r) ranks[r].add_comm(0xa, kWorld, {0, 1}, CallId::Comm_dup, {10, 20});
  ranks[1].meta.texts.push_back({"comm.name", "first", 0xa, 25});
  ranks[1].meta.texts.push_back({"comm.name", "grid", 0xa, 30});
  const Communicators all = unify(ranks, 2);
  EXPECT_EQ(all.list[3].name, "grid");
}

TEST_F(Definitions, BirthsThatMakeNoSenseAreFindings) {
  auto ranks = world(1);
  ranks[0].add_comm(0xa, kWorld, {0}, CallId::Comm_dup, {10, 20});
  ranks[0].meta.comms.back().birth.local_rank = 7;
  ranks[0].add_comm(0, kWorld, {0}, CallId::Comm_split, {30, 40});  // MPI_COMM_NULL: nothing was made
  const Communicators all = unify(ranks, 1);
  EXPECT_EQ(all.list.size(), 2U);
  ASSERT_EQ(findings.list().size(), 1U);
  EXPECT_EQ(findings.list()[0].name, "rank.damaged");
}

TEST(CommunicatorsInMessages, RanksAreThoseOfTheCommunicator) {
  SyntheticRun run{3};
  for (std::size_t r = 1; r < 3; ++r) run[r].make_comm({1, 5}, 0xc, kWorld, {2, 1});
  run[1]->send({10, 11}, 0, 5, 8, 0xc);  // to world rank 2
  run[2]->receive({20, 21}, 1, 5, {1, 5, 8}, 0xc);
  run[1]->handle(CallId::Comm_free, {30, 31}, 0xc);
  ASSERT_TRUE(run.merge());
  const MergedReader merged{run.merged()};
  EXPECT_THAT(pairings(merged.messages()), ElementsAre(Pairing{1, 1, 2, 1}));
  const auto events = merged.events();
  EXPECT_EQ(events[0].comm, 0U) << "what a communicator is made from";
  EXPECT_EQ(events[2].peer, 2);
  EXPECT_EQ(events[2].comm, 4U);
  EXPECT_EQ(events[3].peer, 1);
  EXPECT_EQ(events[4].comm, 4U);
  EXPECT_THAT(merged.strings("communicators/kind"), ElementsAre("world", "self", "self", "self", "intra"));
}

TEST(CommunicatorsInMessages, SidesOfAnIntercommunicatorDoNotMix) {
  SyntheticRun run{4};
  for (std::size_t r = 0; r < 4; ++r) {
    const std::vector<std::int32_t> low{0, 1}, high{2, 3};
    run[r].make_comm({1, 5}, 0xc, kWorld, r < 2 ? low : high, CallId::Intercomm_create, 0, r < 2 ? high : low);
  }
  run[0]->send({10, 11}, 1, 5, 8, 0xc);  // rank 0 of the low side to rank 1 of the high side: world rank 3
  run[2]->send({10, 11}, 1, 5, 16, 0xc);
  run[1]->receive({20, 21}, 0, 5, {0, 5, 16}, 0xc);
  run[3]->receive({20, 21}, 0, 5, {0, 5, 8}, 0xc);
  const auto outcome = run.merge();
  ASSERT_TRUE(outcome);
  EXPECT_THAT(pairings(MergedReader{run.merged()}.messages()), ElementsAre(Pairing{0, 1, 3, 1}, Pairing{2, 1, 1, 1}));
  EXPECT_THAT(outcome->summary.findings, IsEmpty());
}

TEST(CommunicatorsInMessages, UnknownHandleIsAFinding) {
  SyntheticRun run{2};
  run[0]->send({10, 11}, 1, 5, 8, 0xbad);
  const auto outcome = run.merge();
  ASSERT_TRUE(outcome);
  EXPECT_EQ(find(outcome->summary, "comm.unknown")->detail, "rank 0 thread 0 call 0");
  EXPECT_EQ(MergedReader{run.merged()}.events().at(0).comm, kNoComm);
}

}  // namespace
}  // namespace meridian::test
