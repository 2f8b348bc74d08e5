// SPDX-License-Identifier: Apache-2.0
// Matching of collectives, their order and their bytes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "merged_reader.hpp"
#include "synthetic_trace.hpp"
#include "trace/model/call_facts.hpp"

namespace meridian::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Shape = CollectiveShape;

class Collectives : public ::testing::Test {
 protected:
  Summary summary;

  std::vector<CollectivePart> merged(SyntheticRun& run) {
    auto outcome = run.merge();
    if (!outcome) throw std::runtime_error(outcome.error().what);
    summary = outcome->summary;
    return MergedReader{run.merged()}.collectives();
  }
  /// (instance, world rank, number of the call that entered, number of the call that left), as they are in the file.
  static std::vector<Pairing> places(const std::vector<CollectivePart>& parts) {
    std::vector<Pairing> rows;
    rows.reserve(parts.size());
    for (const CollectivePart& part : parts)
      rows.push_back({static_cast<std::int64_t>(part.instance), part.start.rank,
                      static_cast<std::int64_t>(part.start.event), static_cast<std::int64_t>(part.completion.event)});
    return rows;
  }
  /// Shapes of the parts, in the order of the file.
  static std::vector<Shape> shapes(const std::vector<CollectivePart>& parts) {
    std::vector<Shape> list;
    list.reserve(parts.size());
    for (const CollectivePart& part : parts) list.push_back(part.shape);
    return list;
  }
  const FunctionSummary& function(const std::string& name) const {
    for (const FunctionSummary& at : summary.functions)
      if (at.name == name) return at;
    throw std::runtime_error(name + " was not called");
  }
};

TEST_F(Collectives, NthCallOfEachRankIsTheNthCollective) {
  SyntheticRun run{2};
  run[0]->collective(CallId::Barrier, {10, 30});
  run[0]->collective(CallId::Allreduce, {40, 60}, 8, 8);
  run[1]->collective(CallId::Barrier, {20, 30});
  run[1]->collective(CallId::Allreduce, {45, 60}, 8, 8);
  const auto parts = merged(run);
  EXPECT_THAT(places(parts),
              ElementsAre(Pairing{0, 0, 0, 0}, Pairing{0, 1, 0, 0}, Pairing{1, 0, 1, 1}, Pairing{1, 1, 1, 1}));
  EXPECT_EQ(parts[0].shape, Shape::all_to_all);
  EXPECT_EQ(parts[1].comm_rank, 1);
  EXPECT_EQ(parts[1].parts, 2);
  EXPECT_EQ(parts[1].root, -1);
  EXPECT_EQ(parts[1].enter_ns, 10);
  EXPECT_EQ(parts[1].leave_ns, 20);
  EXPECT_EQ(summary.messages.collectives, 2U);
  EXPECT_EQ(summary.messages.collective_calls, 4U);
  EXPECT_THAT(summary.findings, IsEmpty());
}

TEST_F(Collectives, RefusedCallIsNoPartAndAFailedOneThatTookPartIs) {
  SyntheticRun run{2};
  run[0]->collective(CallId::Bcast, {10, 11}, 0, 0, 0);
  run[0]->batch.flags.back() = kFlagFailed;
  run[0]->collective(CallId::Bcast, {12, 30}, 8, 0, 0);
  run[0]->collective(CallId::Allreduce, {40, 60}, 8, 8);
  run[1]->collective(CallId::Bcast, {20, 31}, 0, 0, 0);
  run[1]->batch.flags.back() = kFlagFailed;
  run[1]->batch.completion_count.back() = 1;
  run[1]->batch.completions.push_back({});
  run[1]->collective(CallId::Allreduce, {45, 60}, 8, 8);
  EXPECT_THAT(places(merged(run)),
              ElementsAre(Pairing{0, 0, 1, 1}, Pairing{0, 1, 0, 0}, Pairing{1, 0, 2, 2}, Pairing{1, 1, 1, 1}));
  EXPECT_THAT(summary.findings, IsEmpty());
}

TEST_F(Collectives, RefusedNonBlockingCallIsNoPart) {
  SyntheticRun run{2};
  run[0]->collective(CallId::Ibcast, {10, 11}, 0, 0, 0);
  run[0]->batch.flags.back() = kFlagFailed;
  for (std::size_t r = 0; r < 2; ++r) run[r]->collective(CallId::Allreduce, {40, 60}, 8, 8);
  EXPECT_THAT(places(merged(run)), ElementsAre(Pairing{0, 0, 1, 1}, Pairing{0, 1, 0, 0}));
  EXPECT_THAT(summary.findings, IsEmpty());
}

TEST_F(Collectives, EachCommunicatorHasItsOwnCount) {
  SyntheticRun run{2};
  for (std::size_t r = 0; r < 2; ++r) run[r].make_comm({1, 5}, 0xc, kWorld, {0, 1}, CallId::Comm_dup);
  run[0]->collective(CallId::Barrier, {10, 30}, 0, 0, kNoRoot, 0, kWorld);
  run[0]->collective(CallId::Barrier, {40, 60}, 0, 0, kNoRoot, 0, 0xc);
  run[1]->collective(CallId::Barrier, {10, 60}, 0, 0, kNoRoot, 0, 0xc);
  run[1]->collective(CallId::Barrier, {70, 80}, 0, 0, kNoRoot, 0, kWorld);
  const auto parts = merged(run);
  ASSERT_EQ(parts.size(), 4U);
  EXPECT_EQ(parts[0].comm, parts[1].comm);
  EXPECT_NE(parts[0].comm, parts[2].comm);
}

TEST_F(Collectives, NonBlockingOnesEndInTheCallThatCompletesThem) {
  SyntheticRun run{2};
  for (std::size_t r = 0; r < 2; ++r) {
    run[r]->collective(CallId::Iallreduce, {10, 12}, 8, 8, kNoRoot, 0xa);
    run[r]->collective(CallId::Ibarrier, {13, 14}, 0, 0, kNoRoot, 0xb);
    run[r]->collective(CallId::Barrier, {15, 20});
  }
  run[0]->wait({30, 40}, 0xb);
  run[0]->wait({41, 42}, 0xa);
  run[1]->requests(CallId::Waitall, {30, 43}, {{0xa, 0, 0, 0}, {0xb, 0, 0, 0}});
  const auto parts = merged(run);
  std::map<std::int64_t, std::vector<Pairing>> by_start;
  for (const Pairing& place : places(parts)) by_start[place[2]].push_back({place[1], place[3], 0, 0});
  EXPECT_THAT(by_start[0], ElementsAre(Pairing{0, 4, 0, 0}, Pairing{1, 3, 0, 0}));
  EXPECT_THAT(by_start[1], ElementsAre(Pairing{0, 3, 0, 0}, Pairing{1, 3, 0, 0}));
  EXPECT_THAT(by_start[2], ElementsAre(Pairing{0, 2, 0, 0}, Pairing{1, 2, 0, 0}));
  EXPECT_THAT(summary.findings, IsEmpty());
}

TEST_F(Collectives, PersistentOnesAreIdentifiedByInitAndStart) {
  SyntheticRun run{2};
  for (std::size_t r = 0; r < 2; ++r) {
    run[r]->collective(CallId::Barrier_init, {1, 2}, 0, 0, kNoRoot, 0xa);
    run[r]->collective(CallId::Allreduce_init, {3, 4}, 16, 16, kNoRoot, 0xb);
  }
  const auto round = [&](std::size_t r, std::uint64_t t, std::uint64_t request) {
    run[r]->start({t, t + 1}, request);
    run[r]->wait({t + 2, t + 9}, request);
  };
  round(0, 10, 0xa);  // calls 2, 3
  round(0, 20, 0xb);
  round(0, 30, 0xb);
  round(1, 10, 0xb);  // in another order than rank 0
  round(1, 20, 0xb);
  round(1, 30, 0xa);
  std::map<std::int64_t, std::vector<Pairing>> by_instance;
  for (const Pairing& place : places(merged(run))) by_instance[place[0]].push_back({place[1], place[2], place[3], 0});
  std::vector<std::vector<Pairing>> instances;
  instances.reserve(by_instance.size());
  for (auto& [number, list] : by_instance) instances.push_back(list);
  EXPECT_THAT(instances,
              ::testing::UnorderedElementsAre(ElementsAre(Pairing{0, 2, 3, 0}, Pairing{1, 6, 7, 0}),  // barrier
                                              ElementsAre(Pairing{0, 4, 5, 0}, Pairing{1, 2, 3, 0}),  // first allreduce
                                              ElementsAre(Pairing{0, 6, 7, 0}, Pairing{1, 4, 5, 0})));  // second
  EXPECT_EQ(function("MPI_Start").bytes_sent, 2U * 2 * 2 * 16) << "two ranks, two starts, a block for each rank";
}

TEST_F(Collectives, RootedOnesHaveAShapeAndARoot) {
  SyntheticRun run{3};
  for (std::size_t r = 0; r < 3; ++r) {
    run[r]->collective(CallId::Bcast, {10, 20}, 100, 0, 2);
    run[r]->collective(CallId::Reduce, {30, 40}, 100, 0, 1);
    run[r]->collective(CallId::Scan, {50, 60}, 8, 8);
    run[r]->collective(CallId::Neighbor_alltoall, {70, 80}, 8, 8);
  }
  const auto parts = merged(run);
  ASSERT_EQ(parts.size(), 12U);
  EXPECT_EQ(parts[0].shape, Shape::one_to_all);
  EXPECT_EQ(parts[0].root, 2);
  EXPECT_EQ(parts[3].shape, Shape::all_to_one);
  EXPECT_EQ(parts[3].root, 1);
  EXPECT_EQ(parts[6].shape, Shape::prefix);
  EXPECT_EQ(parts[9].shape, Shape::none);
  EXPECT_EQ(MergedReader{run.merged()}.events().at(0).peer, 2) << "the root's world rank";
}

TEST_F(Collectives, RanksWithoutDataImplyNoOrder) {
  SyntheticRun run{3};
  for (std::size_t r = 0; r < 3; ++r) {
    const bool has_none = r == 2;
    run[r]->collective(CallId::Gatherv, {10, 20}, has_none ? 0 : 8, r == 0 ? 16 : 0, 0);
    run[r]->collective(CallId::Allreduce, {30, 40}, 0, 0);
    run[r]->collective(CallId::Allgatherv, {50, 60}, has_none ? 0 : 8, 16);
    run[r]->collective(CallId::Alltoallv, {70, 80}, 8, 8);
  }
  EXPECT_THAT(shapes(merged(run)),
              ElementsAre(Shape::all_to_one, Shape::all_to_one, Shape::none,  // no rank waits for rank 2
                          Shape::none, Shape::none, Shape::none,              // no bytes at all
                          Shape::all_to_all, Shape::all_to_all, Shape::none,  //
                          Shape::none, Shape::none, Shape::none));            // who sends to whom is not known
}

TEST_F(Collectives, DifferentCallsInOnePlaceAreAMismatch) {
  SyntheticRun run{2};
  run[0]->collective(CallId::Bcast, {10, 20}, 8, 0, 0);
  run[1]->collective(CallId::Barrier, {10, 20});
  run[0]->collective(CallId::Bcast, {30, 40}, 8, 0, 0);
  run[1]->collective(CallId::Bcast, {30, 40}, 8, 0, 1);
  run[0]->collective(CallId::Ibarrier, {50, 51}, 0, 0, kNoRoot, 0xa);
  run[1]->collective(CallId::Barrier, {50, 60});
  run[0]->wait({55, 60}, 0xa);
  const auto parts = merged(run);
  EXPECT_THAT(shapes(parts),
              ElementsAre(Shape::none, Shape::none, Shape::none, Shape::none, Shape::all_to_all, Shape::all_to_all))
      << "blocking and non-blocking forms go together";
  ASSERT_EQ(count_of(summary, "collective.mismatch"), 2U);
  EXPECT_EQ(find(summary, "collective.mismatch")->detail,
            "communicator 0 collective 0 (rank 0 thread 0 call 0, 2 of 2 ranks); "
            "communicator 0 collective 1 (rank 0 thread 0 call 1, 2 of 2 ranks)");
}

TEST_F(Collectives, RankThatNeverEnteredMakesItIncomplete) {
  SyntheticRun run{3};
  for (std::size_t r = 0; r < 2; ++r)
    for (std::uint64_t i = 0; i < 3; ++i) run[r]->collective(CallId::Barrier, {10 + 10 * i, 15 + 10 * i});
  run[2]->collective(CallId::Barrier, {10, 15});
  const auto parts = merged(run);
  EXPECT_EQ(parts.size(), 7U);
  EXPECT_EQ(parts[0].parts, 3);
  EXPECT_EQ(parts[3].parts, 2);
  EXPECT_EQ(parts[3].shape, Shape::all_to_all) << "those that are there did wait for each other";
  EXPECT_EQ(count_of(summary, "collective.incomplete"), 2U);
}

TEST_F(Collectives, RankThatNeverLeftMakesItIncomplete) {
  SyntheticRun run{2};
  run[0]->collective(CallId::Barrier, {10, 0}, 0, 0, kNoRoot, 0, kWorld, kFlagUnfinished);
  run[1]->collective(CallId::Ibarrier, {10, 11}, 0, 0, kNoRoot, 0xa);
  const auto parts = merged(run);
  EXPECT_THAT(shapes(parts), ElementsAre(Shape::none, Shape::none));
  EXPECT_EQ(count_of(summary, "collective.incomplete"), 1U);
}

TEST_F(Collectives, InProgressWhenARankWasKilledAreNotAnError) {
  SyntheticRun run{2};
  run[1].meta.is_finalized = false;
  run[0]->collective(CallId::Barrier, {10, 0}, 0, 0, kNoRoot, 0, kWorld, kFlagUnfinished);
  run[1]->send({10, 11}, 0, 5, 8);
  (void)merged(run);
  EXPECT_EQ(count_of(summary, "collective.incomplete"), 0U);
  EXPECT_EQ(count_of(summary, "call.cut_off"), 1U);
}

TEST_F(Collectives, MissingRanksAreNotWaitedFor) {
  SyntheticRun run{3};
  for (std::size_t r = 0; r < 3; ++r) run[r]->collective(CallId::Barrier, {10, 20});
  run.ranks.pop_back();
  const auto parts = merged(run);
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[0].parts, 2);
  EXPECT_EQ(count_of(summary, "collective.incomplete"), 0U);
}

TEST_F(Collectives, IntercommunicatorsImplyNoOrder) {
  SyntheticRun run{2};
  run[0].make_comm({1, 5}, 0xc, kSelf, {0}, CallId::Intercomm_create, 0, {1});
  run[1].make_comm({1, 5}, 0xd, kSelf, {1}, CallId::Intercomm_create, 0, {0});
  run[0]->collective(CallId::Bcast, {10, 20}, 100, 0, kRootSelf, 0, 0xc);
  run[1]->collective(CallId::Bcast, {10, 20}, 100, 0, 0, 0, 0xd);
  const auto parts = merged(run);
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_THAT(shapes(parts), ElementsAre(Shape::none, Shape::none));
  const auto events = MergedReader{run.merged()}.events();
  EXPECT_EQ(events[2].bytes_sent, 100U);
  EXPECT_EQ(events[2].bytes_received, 0U);
  EXPECT_EQ(events[3].bytes_sent, 0U);
  EXPECT_EQ(events[3].bytes_received, 100U);
  EXPECT_EQ(events[3].peer, 0);
}

TEST_F(Collectives, RequestsOfSingleRanksNeedNoCompletion) {
  SyntheticRun run{1};
  run[0]->collective(CallId::Ibarrier, {1, 2}, 0, 0, kNoRoot, 0xffff);  // libraries hand out one finished request
  run[0]->collective(CallId::Iallreduce, {3, 4}, 8, 8, kNoRoot, 0xffff);
  run[0]->requests(CallId::Waitall, {5, 6}, {{0xffff, 0, 0, 0}, {0xffff, 0, 0, 0}});
  EXPECT_EQ(merged(run).size(), 2U);
  EXPECT_THAT(summary.findings, IsEmpty());
}

TEST_F(Collectives, ReversedOnesAreCountedAndRepaired) {
  SyntheticRun run{2};
  run[0]->collective(CallId::Barrier, {10, 20});
  run[1]->collective(CallId::Barrier, {25, 30});  // its clock is late
  const auto parts = merged(run);
  EXPECT_EQ(summary.reversed_before, 1U);
  EXPECT_EQ(summary.reversed_after, 0U);
  ASSERT_EQ(parts.size(), 2U);
  for (const CollectivePart& part : parts)
    for (const CollectivePart& other : parts) EXPECT_GT(part.leave_ns, other.enter_ns);
}

/// Bytes of every kind of collective on four ranks, as rank 1 sees them; the root is rank 1.
struct BytesCase {
  CallId call;
  std::uint64_t send;
  std::uint64_t receive;
  std::uint64_t sent;
  std::uint64_t received;
};
class CollectiveBytesOf : public ::testing::TestWithParam<BytesCase> {};

TEST_P(CollectiveBytesOf, AtTheRoot) {
  const BytesCase& expected = GetParam();
  SyntheticRun run{4};
  run[1]->collective(expected.call, {10, 20}, expected.send, expected.receive, 1);
  const auto outcome = run.merge();
  ASSERT_TRUE(outcome) << outcome.error().what;
  const auto events = MergedReader{run.merged()}.events();
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].bytes_sent, expected.sent);
  EXPECT_EQ(events[0].bytes_received, expected.received);
}
INSTANTIATE_TEST_SUITE_P(
    All, CollectiveBytesOf,
    ::testing::Values(BytesCase{CallId::Barrier, 0, 0, 0, 0}, BytesCase{CallId::Bcast, 8, 0, 32, 8},
                      BytesCase{CallId::Gather, 8, 8, 8, 32}, BytesCase{CallId::Gather, 0, 8, 8, 32},  // in place
                      BytesCase{CallId::Gatherv, 8, 100, 8, 100}, BytesCase{CallId::Scatter, 8, 8, 32, 8},
                      BytesCase{CallId::Scatter, 8, 0, 32, 8}, BytesCase{CallId::Scatterv, 100, 8, 100, 8},
                      BytesCase{CallId::Allgather, 8, 8, 32, 32}, BytesCase{CallId::Allgather, 0, 8, 32, 32},
                      BytesCase{CallId::Allgatherv, 8, 100, 32, 100}, BytesCase{CallId::Allgatherv, 0, 100, 100, 100},
                      BytesCase{CallId::Alltoall, 8, 8, 32, 32}, BytesCase{CallId::Alltoallv, 40, 50, 40, 50},
                      BytesCase{CallId::Alltoallw, 40, 50, 40, 50}, BytesCase{CallId::Reduce, 8, 0, 8, 32},
                      BytesCase{CallId::Allreduce, 8, 8, 32, 32}, BytesCase{CallId::Reduce_scatter, 40, 0, 40, 40},
                      BytesCase{CallId::Reduce_scatter_block, 0, 8, 32, 32}, BytesCase{CallId::Scan, 8, 8, 24, 16},
                      BytesCase{CallId::Exscan, 8, 8, 16, 8}, BytesCase{CallId::Neighbor_allgather, 8, 16, 8, 16},
                      BytesCase{CallId::Ibcast_c, 8, 0, 32, 8}),
    [](const auto& param) {
      return std::string{meridian::info(param.param.call).name} + "_" + std::to_string(param.param.send) + "_" +
             std::to_string(param.param.receive);
    });

}  // namespace
}  // namespace meridian::test
