// Who can go on, from who waits for whom.

#include "cli/where/wait_for.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace meridian {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

RankWait needs_all(std::int32_t rank, std::vector<std::vector<std::int32_t>> needs) {
  return {rank, 0, false, std::move(needs)};
}
RankWait needs_one(std::int32_t rank, std::vector<std::vector<std::int32_t>> needs) {
  return {rank, 0, true, std::move(needs)};
}

TEST(FindDeadlock, IsNoneWhereNobodyWaits) { EXPECT_THAT(find_deadlock({}, {}).ranks, IsEmpty()); }

TEST(FindDeadlock, OfTwoThatWaitForEachOther) {
  const Deadlock found = find_deadlock({needs_all(3, {{5}}), needs_all(5, {{3}})}, {});
  EXPECT_THAT(found.ranks, ElementsAre(3, 5));
  EXPECT_THAT(found.cycle, ElementsAre(3, 5));
  EXPECT_THAT(found.ended, IsEmpty());
}

TEST(FindDeadlock, IsNoneWhereTheLastOfAChainCanAct) {
  EXPECT_THAT(find_deadlock({needs_all(0, {{1}}), needs_all(1, {{2}})}, {}).ranks, IsEmpty());
}

TEST(FindDeadlock, HoldsThoseThatWaitForTheCycleFromOutside) {
  const Deadlock found = find_deadlock({needs_all(0, {{1}}), needs_all(1, {{2}}), needs_all(2, {{1}})}, {});
  EXPECT_THAT(found.ranks, ElementsAre(0, 1, 2));
  EXPECT_THAT(found.cycle, ElementsAre(1, 2));
}

TEST(FindDeadlock, IsNoneWhereOneOfSeveralSendersCanAct) {
  EXPECT_THAT(find_deadlock({needs_all(0, {{1, 2}}), needs_all(1, {{0}})}, {}).ranks, IsEmpty());
}

TEST(FindDeadlock, OfAnySourceWhereNoSenderCanAct) {
  EXPECT_THAT(find_deadlock({needs_all(0, {{1, 2}}), needs_all(1, {{0}}), needs_all(2, {{0}})}, {}).ranks,
              ElementsAre(0, 1, 2));
}

TEST(FindDeadlock, OfWaitallWhereOneRequestCannotEnd) {
  EXPECT_THAT(find_deadlock({needs_all(0, {{1}, {7}}), needs_all(1, {{0}})}, {}).ranks, ElementsAre(0, 1));
}

TEST(FindDeadlock, IsNoneOfWaitanyWhereOneRequestCanEnd) {
  EXPECT_THAT(find_deadlock({needs_one(0, {{1}, {7}}), needs_all(1, {{0}})}, {}).ranks, IsEmpty());
}

TEST(FindDeadlock, OfRanksThatWaitForOneThatIsThrough) {
  const Deadlock found = find_deadlock({needs_all(0, {{1}}), needs_all(2, {{0}})}, {1});
  EXPECT_THAT(found.ranks, ElementsAre(0, 2));
  EXPECT_THAT(found.cycle, IsEmpty());
  EXPECT_THAT(found.ended, ElementsAre(1));
}

TEST(FindDeadlock, IsNoneWhereAnotherThreadOfTheRankCanGoOn) {
  EXPECT_THAT(find_deadlock({needs_all(0, {{1}}), needs_all(0, {{2}}), needs_all(1, {{0}})}, {}).ranks, IsEmpty());
}

}  // namespace
}  // namespace meridian
