// SPDX-License-Identifier: Apache-2.0
// Traces of several MPI_COMM_WORLDs: which communicators are the same in two worlds, and how such traces are merged.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "worlds_fixture.hpp"

namespace meridian::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST_F(Worlds, EachHasItsOwnWorldAndSelves) {
  make({2, 3});
  Communicators all = unify();
  ASSERT_EQ(all.list.size(), 7U);
  EXPECT_EQ(all.list[0].name, "MPI_COMM_WORLD");
  EXPECT_EQ(all.list[6].name, "MPI_COMM_WORLD of world 2");
  EXPECT_THAT(all.groups[all.list[0].group], ElementsAre(0, 1));
  EXPECT_THAT(all.groups[all.list[6].group], ElementsAre(2, 3, 4));
  EXPECT_THAT(all.groups[all.list[5].group], ElementsAre(4));
  EXPECT_EQ(comm_at(all, 3, kWorld), 6U);
  EXPECT_EQ(comm_at(all, 3, kSelf), 4U);
}

TEST_F(Worlds, EqualRanksOfTwoWorldsMakeTwoCommunicators) {
  for (auto& world : ranks)
    for (SyntheticRank& rank : world) rank.add_comm(kHalf, kWorld, {1, 0}, CallId::Comm_split, {1, 2});
  Communicators all = unify();
  EXPECT_EQ(comm_at(all, 0, kHalf), comm_at(all, 1, kHalf));
  EXPECT_EQ(comm_at(all, 2, kHalf), comm_at(all, 3, kHalf));
  EXPECT_NE(comm_at(all, 0, kHalf), comm_at(all, 2, kHalf));
  EXPECT_THAT(all.groups[all.list[comm_at(all, 2, kHalf)].group], ElementsAre(3, 2));
}

TEST_F(Worlds, ParentsAndChildrenHaveOneIntercommunicator) {
  make({2, 3});
  spawn(0, 1, "abc");
  Communicators all = unify();
  const std::uint32_t inter = comm_at(all, 0, kInter);
  EXPECT_EQ(comm_at(all, 1, kInter), inter);
  for (std::size_t child = 2; child < 5; ++child) EXPECT_EQ(comm_at(all, child, kOther), inter);
  EXPECT_THAT(all.groups[all.list[inter].group], ElementsAre(0, 1));
  EXPECT_THAT(all.groups[all.list[inter].remote_group], ElementsAre(2, 3, 4));
  EXPECT_EQ(all.resolvers[0].at(kInter, 1000)->world_rank(2), 4);
  EXPECT_EQ(all.resolvers[3].at(kOther, 1000)->world_rank(1), 1);
  EXPECT_EQ(worlds[1].parent, 0);
  EXPECT_EQ(worlds[0].parent, -1);
  EXPECT_EQ(unpaired(), 0U);
}

TEST_F(Worlds, TwoSpawnsOfOneSizeAreDistinguishedByTheirTokens) {
  make({1, 2, 2});
  spawn(0, 1, "second", kInter, {50, 60});
  spawn(0, 2, "first", kHalf, {10, 20});
  Communicators all = unify();
  EXPECT_EQ(comm_at(all, 1, kOther), comm_at(all, 0, kInter));
  EXPECT_EQ(comm_at(all, 3, kOther), comm_at(all, 0, kHalf));
  EXPECT_NE(comm_at(all, 0, kInter), comm_at(all, 0, kHalf));
}

TEST_F(Worlds, ATokenWithoutItsOtherSideIsCounted) {
  spawn(0, 1, "abc");
  ranks.resize(1, ranks[0]);
  Communicators all = unify();
  EXPECT_EQ(unpaired(), 1U);
  EXPECT_THAT(all.groups[all.list[comm_at(all, 0, kInter)].group], ElementsAre(0, 1));
  EXPECT_LT(all.resolvers[0].at(kInter, 1000)->world_rank(0), 0);
}

TEST_F(Worlds, ChildrenWithoutATokenAreNotThoseOfAParentWithOne) {
  spawn(0, 1, "abc", kInter, {10, 20}, false);
  Communicators all = unify();
  EXPECT_EQ(unpaired(), 2U);
  EXPECT_NE(comm_at(all, 0, kInter), comm_at(all, 2, kOther));
}

TEST_F(Worlds, WithoutTokensTheOnlyFitIsPaired) {
  spawn(0, 1, "-");
  Communicators all = unify();
  EXPECT_EQ(comm_at(all, 0, kInter), comm_at(all, 2, kOther));
  EXPECT_EQ(unpaired(), 0U);
}

TEST_F(Worlds, WithoutTokensTwoFitsAreNotPaired) {
  make({1, 2, 2});
  spawn(0, 1, "-", kInter, {10, 20});
  spawn(0, 2, "-", kHalf, {30, 40});
  Communicators all = unify();
  EXPECT_EQ(unpaired(), 4U);
}

TEST_F(Worlds, ACommunicatorMadeFromAnIntercommunicatorIsTheSameInBothWorlds) {
  spawn(0, 1, "abc");
  for (std::size_t world = 0; world < 2; ++world)
    for (std::int32_t r = 0; r < 2; ++r) {
      const std::uint64_t parent = world == 0 ? kInter : kOther;
      SyntheticRank& rank = ranks[world][static_cast<std::size_t>(r)];
      const auto merged_rank = static_cast<std::int32_t>(2 * world) + r;
      add(rank, {kMerged, parent, 4, merged_rank, 0, 77}, CallId::Intercomm_merge, {30, 40});
      // A0 with B1, A1 with B0: seen from their own worlds, both are "one of mine and one of theirs".
      const bool is_outer = merged_rank == 0 || merged_rank == 3;
      add(rank, {kHalf, kMerged, 2, static_cast<std::int32_t>(world), 0, is_outer ? 3u : 12u}, CallId::Comm_split,
          {50, 60});
    }
  Communicators all = unify();
  const std::uint32_t merged = comm_at(all, 0, kMerged);
  for (std::size_t file = 0; file < 4; ++file) EXPECT_EQ(comm_at(all, file, kMerged), merged);
  EXPECT_THAT(all.groups[all.list[merged].group], ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(all.groups[all.list[comm_at(all, 0, kHalf)].group], ElementsAre(0, 3));
  EXPECT_THAT(all.groups[all.list[comm_at(all, 1, kHalf)].group], ElementsAre(1, 2));
  EXPECT_THAT(findings.list(), IsEmpty());
}

TEST_F(Worlds, ADuplicateOfAnIntercommunicatorKeepsItsSides) {
  spawn(0, 1, "abc");
  for (std::size_t world = 0; world < 2; ++world)
    for (std::int32_t r = 0; r < 2; ++r)  // both groups are ranks 0 and 1 of the parent's
      add(ranks[world][static_cast<std::size_t>(r)], {kHalf, world == 0 ? kInter : kOther, 2, r, 2, 5, 5},
          CallId::Comm_dup, {30, 40});
  Communicators all = unify();
  const std::uint32_t twin = comm_at(all, 0, kHalf);
  for (std::size_t file = 0; file < 4; ++file) EXPECT_EQ(comm_at(all, file, kHalf), twin);
  EXPECT_THAT(all.groups[all.list[twin].group], ElementsAre(0, 1));
  EXPECT_THAT(all.groups[all.list[twin].remote_group], ElementsAre(2, 3));
}

TEST_F(Worlds, ASpawnOverTwoWorldsHasBothAsParents) {
  make({1, 1, 1});
  spawn(0, 1, "abc");
  for (std::size_t world = 0; world < 2; ++world) {
    SyntheticRank& rank = ranks[world][0];
    const auto me = static_cast<std::int32_t>(world);
    add(rank, {kMerged, world == 0 ? kInter : kOther, 2, me, 0, 77}, CallId::Intercomm_merge, {30, 40});
    add(rank, {kHalf, kMerged, 2, me, 1, 5}, CallId::Comm_spawn, {50, 60});
  }
  say(ranks[1][0], kHalf, "spawn def", 61);  // its root is in the later world
  add(ranks[2][0], {kOther, 0, 1, 0, 2, 9}, CallId::none, {55, 55});
  say(ranks[2][0], kOther, "spawned def", 56);
  Communicators all = unify();
  const std::uint32_t third = comm_at(all, 2, kOther);
  EXPECT_EQ(comm_at(all, 0, kHalf), third);
  EXPECT_EQ(comm_at(all, 1, kHalf), third);
  EXPECT_THAT(all.groups[all.list[third].group], ElementsAre(0, 1));
  EXPECT_THAT(all.groups[all.list[third].remote_group], ElementsAre(2));
  EXPECT_EQ(unpaired(), 0U);
}

/// Two worlds in their directories, merged as users do.
class MergedWorlds : public Worlds {
 protected:
  TempDir directory;

  void write(const std::filesystem::path& where, std::vector<SyntheticRank>& world) {
    std::filesystem::create_directories(where);
    for (SyntheticRank& rank : world) rank.write(where / rank_file_name(rank.meta.rank));
  }
  std::uint64_t count_of(const Summary& summary, const std::string& finding) {
    for (const Finding& each : summary.findings)
      if (each.name == finding) return each.count;
    return 0;
  }
};

TEST_F(MergedWorlds, MessagesGoBothWaysAndEachWorldKeepsItsOwn) {
  spawn(0, 1, "abc");
  ranks[0][0]->send({100, 110}, 1, 5, 40, kInter);
  ranks[1][1]->receive({100, 120}, 0, 5, {0, 5, 40}, kOther);
  ranks[1][1]->send({130, 140}, 0, 5, 60, kOther);
  ranks[0][0]->receive({120, 150}, 1, 5, {1, 5, 60}, kInter);
  for (auto& world : ranks) {  // the same ranks and tags in both
    world[0]->send({200, 210}, 1, 5, 8);
    world[1]->receive({200, 220}, 0, 5, 8);
    for (SyntheticRank& rank : world) rank->collective(CallId::Barrier, {300, 310});
  }
  for (SyntheticRank& rank : ranks[0]) rank->collective(CallId::Barrier, {400, 410}, 0, 0, kNoRoot, 0, kInter);
  for (SyntheticRank& rank : ranks[1]) rank->collective(CallId::Barrier, {400, 410}, 0, 0, kNoRoot, 0, kOther);
  write(directory.path(), ranks[0]);
  write(directory / "world-2", ranks[1]);
  std::filesystem::create_directories(directory / "world-3");  // of children that were never traced
  const auto outcome = merge(directory.path());
  ASSERT_TRUE(outcome) << outcome.error().what;
  const Summary& summary = outcome->summary;
  EXPECT_EQ(summary.messages.matched, 4U);
  EXPECT_EQ(summary.messages.collectives, 3U);
  EXPECT_EQ(summary.messages.collective_calls, 8U);
  EXPECT_THAT(summary.findings, IsEmpty());
  ASSERT_THAT(summary.worlds, SizeIs(2));
  EXPECT_EQ(summary.worlds[1].first_rank, 2);
  EXPECT_EQ(summary.worlds[1].parent, 1);
  std::vector<std::pair<std::int32_t, std::int32_t>> pairs;
  for (const PairSummary& pair : summary.pairs) pairs.emplace_back(pair.source, pair.dest);
  EXPECT_THAT(pairs, ElementsAre(std::pair{0, 1}, std::pair{0, 3}, std::pair{2, 3}, std::pair{3, 0}));
}

TEST_F(MergedWorlds, SeveralDirectoriesAreOneTrace) {
  make({1, 1});
  add(ranks[0][0], {kInter, kWorld, 1, 0, 1, 1}, CallId::Comm_accept, {10, 20});
  say(ranks[0][0], kInter, "accept p", 21);
  add(ranks[1][0], {kInter, kWorld, 1, 0, 1, 1}, CallId::Comm_connect, {10, 20});
  say(ranks[1][0], kInter, "connect p", 21);
  ranks[1][0]->send({100, 110}, 0, 5, 40, kInter);
  ranks[0][0]->receive({100, 120}, 0, 5, {0, 5, 40}, kInter);
  write(directory / "one", ranks[0]);
  write(directory / "two", ranks[1]);
  const std::vector<std::filesystem::path> both{directory / "one", directory / "two"};
  const auto outcome = merge(both);
  ASSERT_TRUE(outcome) << outcome.error().what;
  EXPECT_EQ(outcome->path, directory / "one" / "merged.h5");
  EXPECT_EQ(outcome->summary.messages.matched, 1U);
  EXPECT_THAT(outcome->summary.findings, IsEmpty());
  const auto alone = merge(directory / "one");
  ASSERT_TRUE(alone) << alone.error().what;
  EXPECT_EQ(count_of(alone->summary, "world.unpaired"), 1U);
  EXPECT_EQ(count_of(alone->summary, "message.partner_missing"), 1U);
}

TEST_F(MergedWorlds, AMissingChildIsNamedByItsRankInTheTrace) {
  spawn(0, 1, "abc");
  ranks[0][0]->send({100, 110}, 1, 5, 40, kInter);
  write(directory.path(), ranks[0]);
  ranks[1].pop_back();
  write(directory / "world-2", ranks[1]);
  const auto outcome = merge(directory.path());
  ASSERT_TRUE(outcome) << outcome.error().what;
  EXPECT_EQ(count_of(outcome->summary, "message.partner_missing"), 1U);
  for (const Finding& finding : outcome->summary.findings)
    if (finding.name == "rank.missing") {
      EXPECT_EQ(finding.detail, "rank 3");
    }
}

TEST_F(MergedWorlds, FindingsNameARankByItsWorld) {
  ranks[1][1].meta.is_finalized = false;
  write(directory.path(), ranks[0]);
  write(directory / "world-2", ranks[1]);
  const auto outcome = merge(directory.path());
  ASSERT_TRUE(outcome) << outcome.error().what;
  for (const Finding& finding : outcome->summary.findings) {
    EXPECT_EQ(finding.name, "rank.unfinished");
    EXPECT_EQ(finding.detail, "rank 3 (rank 1 of world 2)");
  }
}

TEST_F(MergedWorlds, WorldsComeInTheOrderOfTheirNumbers) {
  make({1, 1, 2});
  write(directory.path(), ranks[0]);
  write(directory / "world-10", ranks[1]);
  write(directory / "world-9", ranks[2]);
  const auto outcome = merge(directory.path());
  ASSERT_TRUE(outcome) << outcome.error().what;
  ASSERT_THAT(outcome->summary.worlds, SizeIs(3));
  EXPECT_EQ(outcome->summary.worlds[1].ranks_expected, 2);
  EXPECT_EQ(outcome->summary.worlds[1].directory, (directory / "world-9").string());
}

}  // namespace
}  // namespace meridian::test
