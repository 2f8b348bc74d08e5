// SPDX-License-Identifier: Apache-2.0
// Ranks whose calls are sums. One tick is one ns.

#include <gtest/gtest.h>

#include <cmath>

#include "analysed.hpp"
#include "synthetic_trace.hpp"
#include "trace/format/rank/profile_rows.hpp"
#include "trace/format/rank/rank_end.hpp"

namespace meridian::test {
namespace {

/// A rank that has been in MPI_Barrier for `ticks`, and was ended outside of MPI at 2000.
void end_outside(SyntheticRank& rank, std::uint64_t ticks) {
  rank->call(CallId::Init, {10, 100});
  rank.meta.profile.calls = {{.call = static_cast<std::uint32_t>(CallId::Barrier),
                              .seen_ticks = 150,
                              .calls = 3,
                              .ticks = ticks,
                              .least_ticks = 1,
                              .most_ticks = ticks,
                              .squares = {}}};
  rank.meta.texts.push_back({kProfileKey, "3", 0, 0});
  rank.meta.is_finalized = false;
  add_rank_end(rank.meta, {2000, "signal 15"});
}

TEST(ProfiledRanks, ThatEndOutsideOfMpiHaveTimeUntilTheirEnd) {
  SyntheticRun run{2};
  end_outside(run[0], 1500);
  end_outside(run[1], 400);
  const Summary summary = analysed(run);
  ASSERT_EQ(summary.ranks.size(), 2U);
  for (const RankSummary& rank : summary.ranks) {
    EXPECT_EQ(std::llround(rank.time_s * 1e9), 2000 - 10);
    EXPECT_EQ(std::llround(rank.thread_s * 1e9), 2000 - 10);
  }
  EXPECT_EQ(std::llround(summary.run.time_s * 1e9), 2000 - 10);
}

}  // namespace
}  // namespace meridian::test
