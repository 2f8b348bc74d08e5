// SPDX-License-Identifier: Apache-2.0
// repair_streams on calls that are written down one by one.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "clocks/random_program.hpp"

namespace meridian {
namespace {

using test::points;
using test::Program;
using testing::ElementsAre;

/// Calls written down one by one.
struct Script {
  Program program;
  Script(std::int32_t ranks, std::uint32_t threads = 1) : program{ranks, threads, 1} {}
  EventRef add(std::size_t thread, std::int64_t enter, std::int64_t leave) {
    auto& at = program.threads[thread];
    at.calls.push_back({enter, leave});
    return {at.rank, at.thread, at.calls.size() - 1};
  }
  void message(const EventRef& send, const EventRef& receive) {
    program.messages.push_back({.send = send, .post = receive, .completion = receive});
  }
  void part(CollectiveShape shape, std::int32_t comm_rank, std::int32_t root, const EventRef& both,
            std::uint64_t instance = 0) {
    program.parts.push_back({.instance = instance,
                             .shape = shape,
                             .comm_rank = comm_rank,
                             .root = root,
                             .start = both,
                             .completion = both});
  }
};

TEST(RepairCausality, PutsAReceiveOneNanosecondAfterItsSendAndRampsUpToIt) {
  Script script{2};
  script.message(script.add(0, 10'000, 10'100), script.add(1, 9'000, 9'500));
  script.add(1, 9'600, 9'700);
  script.add(1, 500'000, 510'000);
  const auto repaired = test::repair(script.program);
  ASSERT_TRUE(repaired) << repaired.error().what;
  // The leave moves by 501. Going back over 500 ns the move decreases by 5; going on over 490 500 ns by 490.
  EXPECT_THAT(repaired->calls[1],
              ElementsAre(TimePair{9'000 + 496, 10'001}, TimePair{10'101, 10'201}, TimePair{500'011, 510'001}));
  EXPECT_THAT(repaired->calls[0], ElementsAre(TimePair{10'000, 10'100}));
  EXPECT_EQ(repaired->info.moved, 3u);
  EXPECT_EQ(repaired->info.largest_move_ns, 501);
}

TEST(RepairCausality, PointsOneNanosecondApartStayApart) {
  Script script{2};
  script.message(script.add(0, 10'000, 10'100), script.add(1, 900, 1'000));
  for (std::int64_t i = 0; i < 5'000; ++i) script.add(1, 1'001 + 2 * i, 1'002 + 2 * i);
  const auto repaired = test::repair(script.program);
  ASSERT_TRUE(repaired) << repaired.error().what;
  const auto all = points(script.program, *repaired, 1);
  for (std::size_t i = 1; i < all.size(); ++i) ASSERT_LT(all[i - 1].second, all[i].second);
}

TEST(RepairCausality, ARampStopsAtASendThatMustNotPassItsReceive) {
  Script script{3};
  script.add(1, 7'000, 7'000);
  script.message(script.add(1, 8'000, 8'010), script.add(2, 8'000, 8'100));
  script.message(script.add(0, 10'000, 10'100), script.add(1, 9'000, 9'500));
  const auto repaired = test::repair(script.program);
  ASSERT_TRUE(repaired) << repaired.error().what;
  EXPECT_THAT(repaired->calls[1],
              ElementsAre(TimePair{7'089, 7'089}, TimePair{8'099, 8'010 + 487}, TimePair{9'496, 10'001}));
  EXPECT_THAT(repaired->calls[2], ElementsAre(TimePair{8'000, 8'100}));  // so that the send may be at 8099 at most
}

TEST(RepairCausality, OrdersEachShapeOfCollective) {
  using Shape = CollectiveShape;
  struct Case {
    Shape shape;
    std::int64_t leaves[3];  // expected; ranks enter at 100, 300, 200 and leave at 150, 350, 250; the root is 1
  };
  for (const Case& c : {Case{Shape::all_to_all, {301, 350, 301}}, Case{Shape::one_to_all, {301, 350, 301}},
                        Case{Shape::all_to_one, {150, 350, 250}}, Case{Shape::prefix, {150, 350, 301}},
                        Case{Shape::none, {150, 350, 250}}}) {
    Script script{3};
    script.part(c.shape, 0, 1, script.add(0, 100, 150));
    script.part(c.shape, 1, 1, script.add(1, 300, 350));
    script.part(c.shape, 2, 1, script.add(2, 200, 250));
    const auto repaired = test::repair(script.program);
    ASSERT_TRUE(repaired) << repaired.error().what;
    for (std::size_t t = 0; t < 3; ++t) EXPECT_EQ(repaired->calls[t][0].leave_ns, c.leaves[t]) << t;
  }
}

TEST(RepairCausality, TheRootOfAReduceWaitsForAll) {
  Script script{3};
  script.part(CollectiveShape::all_to_one, 0, 0, script.add(0, 100, 150));
  script.part(CollectiveShape::all_to_one, 1, 0, script.add(1, 300, 310));
  script.part(CollectiveShape::all_to_one, 2, 0, script.add(2, 400, 410));
  const auto repaired = test::repair(script.program);
  ASSERT_TRUE(repaired) << repaired.error().what;
  EXPECT_EQ(repaired->calls[0][0].leave_ns, 401);
  EXPECT_THAT(repaired->calls[1], ElementsAre(TimePair{300, 310}));
}

TEST(RepairCausality, ABroadcastWithoutItsRootInTheTraceImpliesNothing) {
  Script script{2};
  script.part(CollectiveShape::one_to_all, 0, 7, script.add(0, 100, 150));
  script.part(CollectiveShape::one_to_all, 1, 7, script.add(1, 300, 310));
  const auto repaired = test::repair(script.program);
  ASSERT_TRUE(repaired) << repaired.error().what;
  EXPECT_EQ(repaired->info.moved, 0u);
}

TEST(RepairCausality, AParticipantOfShapeNoneNeitherWaitsNorIsWaitedFor) {
  Script script{3};
  script.part(CollectiveShape::all_to_all, 0, -1, script.add(0, 100, 150));
  script.part(CollectiveShape::none, 1, -1, script.add(1, 900, 950));
  script.part(CollectiveShape::all_to_all, 2, -1, script.add(2, 200, 250));
  const auto repaired = test::repair(script.program);
  ASSERT_TRUE(repaired) << repaired.error().what;
  EXPECT_EQ(repaired->calls[0][0].leave_ns, 201);
  EXPECT_THAT(repaired->calls[1], ElementsAre(TimePair{900, 950}));
  EXPECT_EQ(repaired->parts[1].shape, CollectiveShape::none);
}

TEST(RepairCausality, AnExitNeedNotFollowItsOwnEnter) {
  Script script{2};  // stamps so coarse that the barriers seem to take no time
  script.part(CollectiveShape::all_to_all, 0, -1, script.add(0, 100, 100));
  script.part(CollectiveShape::all_to_all, 0, -1, script.add(1, 100, 100), 1);
  script.part(CollectiveShape::prefix, 0, -1, script.add(0, 150, 160), 2);
  script.part(CollectiveShape::prefix, 1, -1, script.add(1, 200, 200), 2);
  const auto repaired = test::repair(script.program);
  ASSERT_TRUE(repaired) << repaired.error().what;
  EXPECT_EQ(repaired->info.moved, 0u);
}

TEST(RepairCausality, PointsOfOneInstantOnTwoThreadsMayGoInAnyOrder) {
  Script script{1, 2};  // coarse stamps: thread 0 has the message in the very tick in which thread 1 sends it
  script.message(script.add(1, 100, 110), script.add(0, 90, 100));
  script.add(0, 100, 120);
  const auto repaired = test::repair(script.program);
  ASSERT_TRUE(repaired) << repaired.error().what;
  EXPECT_EQ(repaired->calls[0][0].leave_ns, 101);
  EXPECT_EQ(repaired->calls[1][0].enter_ns, 100);
  EXPECT_GE(repaired->calls[0][1].enter_ns, 101);
}

TEST(RepairCausality, WithdrawsACollectiveThatMessagesContradict) {
  Script script{2};  // rank 0 leaves the Alltoallv, then sends the message after which rank 1 enters it
  script.part(CollectiveShape::all_to_all, 0, -1, script.add(0, 100, 150));
  const EventRef sent = script.add(0, 200, 210);
  script.message(sent, script.add(1, 190, 195));
  script.part(CollectiveShape::all_to_all, 1, -1, script.add(1, 300, 350));
  const auto repaired = test::repair(script.program);
  ASSERT_TRUE(repaired) << repaired.error().what;
  EXPECT_EQ(repaired->info.withdrawn, 1u);
  EXPECT_EQ(repaired->info.reversed_after, 0u);
  EXPECT_EQ(repaired->parts[0].shape, CollectiveShape::none);
  EXPECT_EQ(repaired->parts[1].shape, CollectiveShape::none);
  EXPECT_EQ(repaired->calls[0][0].leave_ns, 150);
  EXPECT_EQ(repaired->calls[1][0].leave_ns, 201);
}

TEST(RepairCausality, MessagesThatWaitForEachOtherInACircleAreAnError) {
  Script script{2};
  const EventRef receive0 = script.add(0, 100, 110), send0 = script.add(0, 120, 130);
  const EventRef receive1 = script.add(1, 100, 110), send1 = script.add(1, 120, 130);
  script.message(send0, receive1);
  script.message(send1, receive0);
  const auto repaired = test::repair(script.program);
  ASSERT_FALSE(repaired);
  EXPECT_EQ(repaired.error().code, Errc::damaged);
  EXPECT_EQ(repaired.error().what,
            "cannot order the messages: they wait for each other in a circle, first in call 0 of rank 0, thread 0");
}

TEST(RepairCausality, AMessageOfAMissingCallIsAnError) {
  Script script{2};
  script.message(script.add(0, 100, 110), {1, 0, 0});
  const auto repaired = test::repair(script.program);
  ASSERT_FALSE(repaired);
  EXPECT_EQ(repaired.error().what, "cannot order a message: call 0 of rank 1, thread 0 is not in the trace");
}

TEST(RepairCausality, OneMoveTravelsThroughAChainOfMessages) {
  Script script{50};
  EventRef sent = script.add(0, 1'000'000, 1'000'010);
  for (std::size_t rank = 1; rank < 50; ++rank) {
    script.message(sent, script.add(rank, 500, 600));
    sent = script.add(rank, 610, 620);
  }
  const auto repaired = test::repair(script.program);
  ASSERT_TRUE(repaired) << repaired.error().what;
  for (std::size_t rank = 1; rank < 50; ++rank)
    EXPECT_EQ(repaired->calls[rank][0].leave_ns, 1'000'001 + 11 * (static_cast<std::int64_t>(rank) - 1));
}

TEST(CountReversed, CountsReceivesAndExitsThatComeTooSoon) {
  const auto file = TempFile::create(std::filesystem::temp_directory_path());
  ASSERT_TRUE(file) << file.error().what;
  std::vector<MatchedMessage> messages(3);
  messages[0].send_enter_ns = 10, messages[0].receive_leave_ns = 11;
  messages[1].send_enter_ns = 10, messages[1].receive_leave_ns = 10;  // at the same time is too soon
  messages[2].send_enter_ns = 10, messages[2].receive_leave_ns = 9;
  std::vector<CollectivePart> parts(6);
  for (std::int32_t rank = 0; rank < 3; ++rank) {
    CollectivePart& part = parts[static_cast<std::size_t>(rank)];
    part.shape = CollectiveShape::all_to_all;
    part.comm_rank = rank;
    part.enter_ns = 100 * rank;
    part.leave_ns = 100 * rank + 150;  // exits at 150, 250, 350; the last enter at 200
    CollectivePart& unordered = parts[static_cast<std::size_t>(rank) + 3] = part;
    unordered.instance = 1;
    unordered.shape = CollectiveShape::none;
  }
  auto message_spool = test::spool_of(messages, *file);
  auto part_spool = test::spool_of(parts, *file);
  const auto count = count_reversed(message_spool, part_spool);
  ASSERT_TRUE(count) << count.error().what;
  EXPECT_EQ(*count, 3u);  // two receives, one collective
}

}  // namespace
}  // namespace meridian
