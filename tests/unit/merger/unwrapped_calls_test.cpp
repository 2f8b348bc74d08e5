// SPDX-License-Identifier: Apache-2.0
// Traces of programs that call functions which the tracer does not wrap: what lacks its other side because of them is no
// error, and nothing is paired by an order that is no longer certain.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "merger/model/unwrapped_calls.hpp"
#include "messages_fixture.hpp"
#include "trace/model/unwrapped_keys.hpp"

namespace meridian::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class Unwrapped : public Messages {
 protected:
  static void lack(SyntheticRank& rank, const char* names, std::uint64_t ticks = 0) {
    rank.meta.texts.push_back({kUnwrappedKey, std::string{"/opt/lib: solver.so: "} + names, 0, ticks});
  }
  /// The rows without the one for each rank that names the functions.
  std::uint64_t gaps(std::uint64_t ranks) const { return count_of(summary, "call.unwrapped") - ranks; }
  void expect_only_unwrapped() const {
    ASSERT_EQ(summary.findings.size(), 1U);
    EXPECT_EQ(summary.findings.front().name, std::string{"call.unwrapped"});
    EXPECT_EQ(summary.findings.front().severity, Severity::data_loss);
  }
};

TEST_F(Unwrapped, ReceivesOfUnseenSendsAreNoErrors) {
  SyntheticRun run{2};
  lack(run[0], "MPI_Send_c");
  for (std::uint64_t t = 10; t < 500; t += 10) run[1]->receive({t, t + 1}, 0, 5, 8);
  run[0]->send({600, 601}, 1, 5, 8);  // may be any of the messages that were received
  EXPECT_THAT(matched(run), IsEmpty());
  EXPECT_EQ(gaps(1), 50U);
  expect_only_unwrapped();
  EXPECT_EQ(summary.findings.front().detail,
            "rank 0: /opt/lib: solver.so: MPI_Send_c; rank 1 thread 0 call 0, source 0, tag 5; rank 1 thread 0 call 1, "
            "source 0, tag 5; ...")
      << "the function and its file come first";
}

TEST_F(Unwrapped, SendsToUnseenReceivesAreNoErrors) {
  SyntheticRun run{2};
  lack(run[1], "MPI_Recv_c MPI_Irecv_c");
  run[0]->send({10, 11}, 1, 5, 8);
  run[0]->send({12, 13}, 1, 5, 8);
  run[1]->send({20, 21}, 0, 6, 8);  // the other direction is complete
  run[0]->receive({30, 31}, 1, 6, 8);
  EXPECT_THAT(matched(run), ElementsAre(Pairing{1, 0, 0, 2}));
  EXPECT_EQ(gaps(1), 2U);
  expect_only_unwrapped();
}

TEST_F(Unwrapped, RequestsWithAnUnseenStartAreNoErrors) {
  SyntheticRun run{2};
  lack(run[0], "MPI_Isend_c");
  lack(run[1], "MPI_Irecv_c");
  run[0]->wait({20, 21}, 0xa);
  run[1]->wait({20, 22}, 0xb, {0, 5, 8});
  EXPECT_THAT(matched(run), IsEmpty());
  EXPECT_EQ(gaps(2), 1U) << "the completion of a message whose start is unknown";
  expect_only_unwrapped();
}

TEST_F(Unwrapped, CollectivesThatAllRanksLackShiftNoOthers) {
  SyntheticRun run{2};
  for (std::size_t r = 0; r < 2; ++r) {
    lack(run[r], "MPI_Allreduce_c");
    for (std::uint64_t t = 10; t < 60; t += 10) run[r]->collective(CallId::Barrier, {t + r, t + 5});
  }
  matched(run);
  EXPECT_EQ(summary.messages.collectives, 5U);
  EXPECT_EQ(gaps(2), 0U);
  expect_only_unwrapped();
}

TEST_F(Unwrapped, CollectivesThatOnlyOneRankLacksMakeTheOrderUncertain) {
  SyntheticRun run{2};
  lack(run[1], "MPI_Bcast_c");
  run[0]->collective(CallId::Bcast, {10, 11});
  run[0]->collective(CallId::Bcast, {12, 25});
  run[1]->collective(CallId::Bcast, {20, 25});  // the second one
  matched(run);
  EXPECT_EQ(summary.messages.collectives, 0U) << "the first one of rank 0 must not be paired with it";
  EXPECT_EQ(gaps(1), 3U);
  expect_only_unwrapped();
}

TEST_F(Unwrapped, CollectivesOfBothFormsMakeTheOrderUncertain) {
  SyntheticRun run{2};
  for (std::size_t r = 0; r < 2; ++r) {
    lack(run[r], "MPI_Gatherv_c");
    run[r]->collective(CallId::Barrier, {30 + r, 35});
  }
  run[0]->collective(CallId::Gatherv, {40, 45});  // rank 1 has called MPI_Gatherv_c
  matched(run);
  EXPECT_EQ(summary.messages.collectives, 0U);
  EXPECT_EQ(gaps(2), 3U);
  expect_only_unwrapped();
}

TEST_F(Unwrapped, CommunicatorsOfUnseenCreationAreNoFlawOfTheirOwn) {
  SyntheticRun run{2};
  for (std::size_t r = 0; r < 2; ++r) lack(run[r], "MPI_Comm_create_from_group");
  run[0]->send({10, 11}, 1, 5, 8, 0x84000007);
  run[1]->collective(CallId::Barrier, {20, 21}, 0, 0, kNoRoot, 0, 0x84000007);
  EXPECT_THAT(matched(run), IsEmpty());
  EXPECT_EQ(gaps(2), 2U);
  expect_only_unwrapped();
}

TEST_F(Unwrapped, FunctionsThatWereNotCalledOrHaveNoEffectAreNoFlaw) {
  SyntheticRun run{2};
  lack(run[0], "MPI_Send_c", 0);
  lack(run[0], "", 90);  // at the end, it had not been called
  lack(run[1], "MPI_Type_size_c MPI_T_pvar_read MPI_Comm_toint MPI_Get_hw_resource_info");
  run[1].meta.texts.push_back({kExportedKey, "/lib/libmpi.so: MPI_Send_c MPI_Recv_c", 0, 0});
  run[0]->send({10, 11}, 1, 5, 8);
  run[1]->receive({20, 21}, 0, 5, 8);
  EXPECT_THAT(matched(run), ElementsAre(Pairing{0, 0, 1, 0}));
  EXPECT_THAT(summary.findings, IsEmpty());
}

TEST_F(Unwrapped, RealErrorsOfOtherRanksWithoutUnseenCallsRemain) {
  SyntheticRun run{2};
  run[1]->receive({10, 11}, 0, 5, 8);
  matched(run);
  EXPECT_EQ(count_of(summary, "message.unmatched_receive"), 1U);
}

TEST(UnwrappedCalls, FunctionsOfLaterStandardsAreJudgedByTheirNames) {
  EXPECT_TRUE(effect_of("MPI_Isend_anything").sends);
  EXPECT_FALSE(effect_of("MPI_Isend_anything").collectives);
  EXPECT_TRUE(effect_of("MPI_Precv_later").receives);
  EXPECT_TRUE(effect_of("MPI_Allreduce_c").collectives);
  EXPECT_TRUE(effect_of("MPIX_Allreduce_init").collectives) << "an extension that became a part of the standard";
  EXPECT_TRUE(effect_of("MPI_Comm_later").is_any());
  EXPECT_TRUE(effect_of("MPI_Cart_create").comms);
  for (const char* const local : {"MPI_Wtime", "MPI_T_init_thread", "MPI_Comm_c2f", "MPI_Status_f082c", "MPI_Comm_rank",
                                  "MPI_Type_later", "MPI_Session_get_later"})
    EXPECT_FALSE(effect_of(local).is_any()) << local;
}

}  // namespace
}  // namespace meridian::test
