// SPDX-License-Identifier: Apache-2.0
// Which ranks compute while no call begins or ends.

#include "live/progress.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace meridian {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr double kElapsed = 10;

/// A process with a thread for each call; none: outside recorded calls. Kernel tids are pid, pid + 1...
RankNow rank_with(std::int32_t rank, std::int32_t pid, std::initializer_list<CallId> calls) {
  RankNow now;
  now.meta.rank = rank;
  now.meta.pid = pid;
  now.is_alive = true;
  for (const CallId call : calls) {
    ThreadNow& thread = now.threads.emplace_back();
    thread.kernel_tid = pid + static_cast<std::int32_t>(now.threads.size()) - 1;
    thread.call = call;
  }
  return now;
}

TEST(ComputingRanks, UseTheProcessorOutsideOfCalls) {
  const std::vector<RankNow> ranks{rank_with(0, 100, {CallId::none}), rank_with(1, 200, {CallId::none})};
  const CpuTimes before{{{100, 100}, 3}, {{200, 200}, 3}};
  const CpuTimes after{{{100, 100}, 12}, {{200, 200}, 3.4}};
  EXPECT_THAT(computing_ranks(ranks, before, after, kElapsed), ElementsAre(0));
}

TEST(ComputingRanks, AreNotThoseThatPollInMpi) {
  const std::vector<RankNow> ranks{rank_with(0, 100, {CallId::Recv})};
  EXPECT_THAT(computing_ranks(ranks, {{{100, 100}, 0}}, {{{100, 100}, 10}}, kElapsed), IsEmpty());
}

TEST(ComputingRanks, MayHaveAThreadThatComputesWhileAnotherWaitsForIt) {
  const std::vector<RankNow> ranks{rank_with(4, 100, {CallId::pthread_join, CallId::none})};
  EXPECT_THAT(computing_ranks(ranks, {{{100, 101}, 0}}, {{{100, 101}, 10}}, kElapsed), ElementsAre(4));
}

TEST(ComputingRanks, MayHaveThreadsThatTheTracerDoesNotKnow) {
  const std::vector<RankNow> ranks{rank_with(2, 100, {CallId::Recv})};
  EXPECT_THAT(computing_ranks(ranks, {}, {{{100, 177}, 0.5}}, kElapsed), ElementsAre(2))
      << "it began after the first reading";
  EXPECT_THAT(computing_ranks(ranks, {}, {{{100, 177}, 0.4}}, kElapsed), IsEmpty());
  EXPECT_THAT(computing_ranks(ranks, {}, {{{300, 177}, 10}}, kElapsed), IsEmpty()) << "another process";
}

TEST(ComputingRanks, AreAlive) {
  std::vector<RankNow> ranks{rank_with(0, 100, {CallId::none})};
  ranks[0].is_alive = false;
  EXPECT_THAT(computing_ranks(ranks, {}, {{{100, 100}, 10}}, kElapsed), IsEmpty());
}

}  // namespace
}  // namespace meridian
