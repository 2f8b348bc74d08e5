// SPDX-License-Identifier: Apache-2.0
#include "trace/model/level_rules.hpp"

#include <gtest/gtest.h>

namespace meridian {
namespace {

constexpr bool chooses(std::string_view list, std::string_view name) {
  const CallInfo& call = info(call_by_name(name));
  return list_chooses(list, {.name = call.name, .group = kGroups[static_cast<std::size_t>(call.group)].name});
}
constexpr bool chooses_event(std::string_view list, std::string_view level, std::string_view name) {
  return list_chooses(list, {.name = name, .group = "user", .level = level});
}

TEST(LevelRules, ChooseGroupsAndSingleCalls) {
  static_assert(chooses("p2p,coll", "MPI_Send"));
  EXPECT_FALSE(chooses("p2p,coll", "MPI_Wait"));
  EXPECT_TRUE(chooses("p2p,MPI_Wait", "MPI_Wait"));
  EXPECT_FALSE(chooses("p2p,MPI_Wait", "MPI_Waitall"));
  EXPECT_FALSE(chooses("all,-MPI_Test*", "MPI_Testany"));
  EXPECT_TRUE(chooses("all,-MPI_Test*,MPI_Testall", "MPI_Testall"));
  EXPECT_TRUE(chooses("mpi_win_*", "MPI_Win_fence"));
  EXPECT_FALSE(chooses("none", "MPI_Send"));
}

TEST(LevelRules, StartFromAllWhereTheFirstItemHasASign) {
  EXPECT_TRUE(chooses("-io", "MPI_Send"));
  EXPECT_TRUE(chooses(" +io", "MPI_Send"));
  EXPECT_FALSE(chooses("io", "MPI_Send"));
}

TEST(LevelRules, KnowPresets) {
  EXPECT_TRUE(chooses("basic", "MPI_Bcast"));
  EXPECT_FALSE(chooses("basic", "MPI_File_open"));
  EXPECT_TRUE(chooses("basic,+MPI_File_*", "MPI_File_open"));
  EXPECT_FALSE(chooses("free", "MPI_Send"));
  EXPECT_TRUE(chooses("complete", "MPI_T_init_thread"));
  EXPECT_TRUE(chooses("threads", "pthread_mutex_lock"));
}

TEST(LevelRules, ChooseUserEventsByLevelAndName) {
  EXPECT_TRUE(chooses_event("all", "pool", "STEAL"));
  EXPECT_TRUE(chooses_event("free", "region", "solve"));
  EXPECT_TRUE(chooses_event("p2p,user:pool", "pool", "STEAL"));
  EXPECT_FALSE(chooses_event("p2p,user:pool", "region", "solve"));
  EXPECT_TRUE(chooses_event("user:pool.ST*", "pool", "STEAL"));
  EXPECT_FALSE(chooses_event("user:pool.ST*", "pool", "SLEEP"));
  EXPECT_FALSE(chooses_event("all,-user:region.a.b", "region", "a.b"));
  EXPECT_FALSE(chooses_event("MPI_*", "pool", "MPI_Send"));
}

TEST(LevelRules, RefuseItemsThatMatchNothing) {
  for (const char* item : {"all", "none", "p2p", "basic", "MPI_Send", "MPI_*", "user:anything", "pthread_*"})
    EXPECT_TRUE(is_item(item)) << item;
  EXPECT_TRUE(is_item("user"));  // the group
  for (const char* item : {"", "p2pp", "MPI_Sendd", "user:"}) EXPECT_FALSE(is_item(item)) << item;
}

TEST(LevelRules, MatchGlobs) {
  static_assert(matches_glob("*", "") && matches_glob("a*b*c", "axxbyyc") && !matches_glob("a*b*c", "axxbyy"));
  static_assert(matches_glob("?pi_*", "MPI_Send") && !matches_glob("", "x") && matches_glob("", ""));
}

}  // namespace
}  // namespace meridian
