// SPDX-License-Identifier: Apache-2.0
// Latency, bandwidth, protocols of sends and late arrivals at collectives, in small traces with known times. Times are ns.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tuple>
#include <vector>

#include "analysed.hpp"
#include "synthetic_trace.hpp"

namespace meridian::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(LinkSpeeds, TheLatencyIsTheShortestTimeToAReceiverThatWasWaiting) {
  SyntheticRun run{2};
  run[0]->receive({10, 47}, 1, 7, 8);    // 7 after the send
  run[0]->receive({50, 95}, 1, 7, 8);    // 5
  run[0]->receive({110, 111}, 1, 7, 8);  // had been sent before
  for (const std::uint64_t at : {40U, 90U, 100U}) run[1]->send({at, at + 1}, 0, 7, 8);
  const Summary summary = analysed(run);
  ASSERT_EQ(summary.links.size(), 2U);
  for (const LinkSummary& link : summary.links) {
    EXPECT_EQ(std::tuple(link.messages, link.bytes, link.small, ns(link.latency_s), link.large),
              std::tuple(3U, 24U, 2U, 5, 0U));
  }
  EXPECT_EQ(std::tuple(summary.links[0].scope, summary.links[0].source, summary.links[0].dest),
            std::tuple("ranks", "1", "0"));
  EXPECT_EQ(std::tuple(summary.links[1].scope, summary.links[1].source, summary.links[1].dest),
            std::tuple("hosts", "node", "node"));
}

TEST(LinkSpeeds, TheBandwidthIsThatOfTheFastestLargeMessageFromTheLaterEnter) {
  SyntheticRun run{2};
  run[0]->receive({10, 164}, 1, 7, 65536);   // from 100 on
  run[0]->receive({300, 332}, 1, 7, 65536);  // made the sender wait
  run[0]->receive({500, 501}, 1, 7, 65536);  // was there already
  run[1]->send({100, 120}, 0, 7, 65536);
  run[1]->send({200, 333}, 0, 7, 65536);
  run[1]->send({400, 410}, 0, 7, 65536);
  const Summary summary = analysed(run);
  ASSERT_FALSE(summary.links.empty());
  EXPECT_EQ(summary.links[0].large, 2U);
  EXPECT_NEAR(summary.links[0].bandwidth_Bps, 65536 / 32e-9, 1);
}

TEST(LinkSpeeds, SendsBeforeTheirReceiveShowWhichSizesWaitForIt) {
  SyntheticRun run{2};
  run[0]->receive({50, 55}, 1, 7, 8);
  run[0]->receive({160, 165}, 1, 7, 5000);
  run[0]->receive({170, 300}, 1, 7, 5000);  // posted before the send
  run[1]->send({10, 11}, 0, 7, 8);
  run[1]->send({100, 165}, 0, 7, 5000);
  run[1]->send({200, 265}, 0, 7, 5000);
  const Summary summary = analysed(run);
  ASSERT_EQ(summary.send_protocols.size(), 2U);
  EXPECT_EQ(std::tuple(summary.send_protocols[0].at_least_bytes, summary.send_protocols[0].returned,
                       summary.send_protocols[0].waited),
            std::tuple(8U, 1U, 0U));
  EXPECT_EQ(std::tuple(summary.send_protocols[1].at_least_bytes, summary.send_protocols[1].returned,
                       summary.send_protocols[1].waited),
            std::tuple(4096U, 0U, 1U));
}

TEST(LinkSpeeds, MessagesAreCountedByCommunicatorAndPair) {
  SyntheticRun run{2};
  for (SyntheticRank& rank : run.ranks) rank.make_comm({1, 2}, 0x99, kWorld, {0, 1});
  run[0]->receive({10, 50}, 1, 7, 8);
  run[0]->receive({60, 90}, 1, 7, {1, 7, 16}, 0x99);
  run[1]->send({40, 41}, 0, 7, 8);
  run[1]->send({80, 81}, 0, 7, 16, 0x99);
  std::vector<std::tuple<std::int32_t, std::int32_t, std::uint64_t, std::uint64_t>> rows;
  for (const CommPairSummary& pair : analysed(run).comm_pairs)
    rows.emplace_back(pair.source, pair.dest, pair.messages, pair.bytes);
  EXPECT_THAT(rows, ElementsAre(std::tuple(1, 0, 1U, 8U), std::tuple(1, 0, 1U, 16U)));
}

TEST(LateArrivals, ThereIsARowForEachFunctionAndCommunicator) {
  SyntheticRun run{2};
  run[0]->collective(CallId::Allreduce, {10, 50}, 8, 8);
  run[1]->collective(CallId::Allreduce, {40, 51}, 8, 8);
  run[0]->collective(CallId::Allreduce, {60, 81}, 4000, 4000);
  run[1]->collective(CallId::Allreduce, {70, 82}, 4000, 4000);
  run[0]->collective(CallId::Bcast, {120, 121}, 8, 8, 0);
  run[1]->collective(CallId::Bcast, {115, 122}, 8, 8, 0);
  const Summary summary = analysed(run);
  ASSERT_EQ(summary.collective_arrivals.size(), 2U);
  const ArrivalSummary& reduce = summary.collective_arrivals[0];
  EXPECT_EQ(std::tuple(reduce.function, reduce.ranks, reduce.count, reduce.small, reduce.last_rank),
            std::tuple("MPI_Allreduce", 2U, 2U, 1U, 1));
  EXPECT_EQ(std::tuple(ns(reduce.mean_spread_s), ns(reduce.longest_spread_s), ns(reduce.time_s)),
            std::tuple(20, 30, 84));
  EXPECT_EQ(reduce.last_share, 1);
  EXPECT_EQ(reduce.bytes_per_peer, 2004);
  const ArrivalSummary& broadcast = summary.collective_arrivals[1];
  EXPECT_EQ(std::tuple(broadcast.function, broadcast.count, broadcast.bytes_per_peer, broadcast.last_rank),
            std::tuple("MPI_Bcast", 1U, 8.0, 0));
}

TEST(LateArrivals, ARunWithoutCommunicationHasNone) {
  SyntheticRun run{2};
  for (SyntheticRank& rank : run.ranks) rank->call(CallId::Comm_rank, {10, 11});
  const Summary summary = analysed(run);
  EXPECT_THAT(summary.links, IsEmpty());
  EXPECT_THAT(summary.collective_arrivals, IsEmpty());
}

}  // namespace
}  // namespace meridian::test
