// SPDX-License-Identifier: Apache-2.0
// Root causes of the waits of small traces with known delays. Times are ns.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "analysed.hpp"
#include "delay_sums.hpp"
#include "random_waits.hpp"
#include "synthetic_trace.hpp"
#include "tests/support/seed.hpp"

namespace meridian::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// "2 compute after MPI_Barrier: 60 + 5": rank, activity, short-term and long-term time; most first.
std::vector<std::string> delay_texts(const Summary& summary) {
  std::vector<std::string> all;
  for (const DelaySummary& row : summary.delays)
    all.push_back(std::to_string(row.rank) + " " + row.what + (row.what == "call" ? " " : " after ") + row.function +
                  (row.region.empty() ? "" : " in " + row.region) + ": " + std::to_string(ns(row.short_term_s)) +
                  " + " + std::to_string(ns(row.long_term_s)));
  return all;
}

std::vector<std::string> delays_of(SyntheticRun& run) {
  const auto outcome = run.merge(with_analyses());
  EXPECT_TRUE(outcome) << outcome.error().what;
  return delay_texts(outcome->summary);
}

TEST(Delays, ComputationBeforeABarrierIsCharged) {
  SyntheticRun run{2};
  for (std::size_t r = 0; r < 2; ++r) run[r]->collective(CallId::Barrier, {10, 20});
  run[0]->collective(CallId::Barrier, {100, 170});
  run[1]->collective(CallId::Barrier, {160, 170});
  EXPECT_THAT(delays_of(run), ElementsAre("1 compute after MPI_Barrier: 60 + 0"));
}

TEST(Delays, ALockBeforeABarrierIsChargedAndNotTheComputationAroundIt) {
  SyntheticRun run{2};
  for (std::size_t r = 0; r < 2; ++r) run[r]->collective(CallId::Barrier, {10, 20});
  run[0]->collective(CallId::Barrier, {100, 170});
  run[1]->call(CallId::pthread_mutex_lock, {50, 110});
  run[1]->collective(CallId::Barrier, {160, 170});
  EXPECT_THAT(delays_of(run), ElementsAre("1 call pthread_mutex_lock: 60 + 0"));
}

TEST(Delays, TimeThatBothRanksSpentIsNotCharged) {
  SyntheticRun run{2};
  for (std::size_t r = 0; r < 2; ++r) run[r]->call(CallId::File_write, {20, 70});
  for (std::size_t r = 0; r < 2; ++r) run[r]->call(CallId::File_close, {80, r == 0 ? 90u : 120u});
  run[0]->collective(CallId::Barrier, {100, 140});
  run[1]->collective(CallId::Barrier, {130, 140});
  EXPECT_THAT(delays_of(run), ElementsAre("1 call MPI_File_close: 30 + 0"));
}

TEST(Delays, OnlyTimeSinceTheLastWaitOfTheTwoRanksCounts) {
  SyntheticRun run{2};
  run[0]->collective(CallId::Barrier, {100, 210});
  run[1]->call(CallId::File_write, {20, 180});
  run[1]->collective(CallId::Barrier, {200, 210});
  run[0]->collective(CallId::Barrier, {250, 330});
  run[1]->call(CallId::File_read, {220, 300});
  run[1]->collective(CallId::Barrier, {320, 330});
  // 100: rank 1 writes for 160 and computes 60 less. 70: it reads for 80.
  EXPECT_THAT(delays_of(run), ElementsAre("1 call MPI_File_write: 100 + 0", "1 call MPI_File_read: 70 + 0"));
}

TEST(Delays, OfARegionThatEndedWithAnotherOneAreNotChargedToIt) {
  // "inner" has no end of its own before "outer" ends, and one that comes too late.
  SyntheticRun run{2};
  for (std::size_t r = 0; r < 2; ++r) {
    run[r].meta.user_definitions = {{1, UserKind::region, "region", "outer", ""},
                                    {2, UserKind::region, "region", "inner", ""}};
    const auto region = [&](std::uint64_t at, std::uint32_t definition, std::uint8_t flag) {
      run[r]->call(CallId::UserRegion, {at, at}, Payload::user, flag);
      run[r]->batch.user.push_back({.definition = definition});
    };
    region(0, 1, kFlagBegins);
    region(1, 2, kFlagBegins);
    region(5, 1, kFlagEnds);
    run[r]->collective(CallId::Barrier, {10, 20});
    run[r]->collective(CallId::Barrier, {r == 0 ? 100U : 160U, 170});
    region(180, 2, kFlagEnds);
  }
  EXPECT_THAT(delays_of(run), ElementsAre("1 compute after MPI_Barrier: 60 + 0"));
}

TEST(Delays, TheCauseOfTheCausersWaitIsChargedInTheLongTerm) {
  SyntheticRun run{3};
  run[2]->send({60, 61}, 1, 7, 8);
  run[1]->receive({10, 65}, 2, 7, 8);
  run[1]->send({65, 66}, 0, 7, 8);
  run[0]->receive({10, 70}, 1, 7, 8);
  // Rank 0 waits 55: for the 50 that rank 1 waited, and for 5 of its receive after that.
  EXPECT_THAT(delays_of(run), ElementsAre("2 compute after : 50 + 50", "1 call MPI_Recv: 5 + 0"));
}

TEST(Delays, WaitsThatBothRanksHadForOneCauseAreNotPassedOn) {
  SyntheticRun run{3};
  for (std::size_t r = 0; r < 2; ++r) run[r]->collective(CallId::Barrier, {10, 60});
  run[2]->collective(CallId::Barrier, {50, 60});
  run[0]->receive({70, 100}, 1, 7, 8);
  run[1]->send({90, 91}, 0, 7, 8);
  EXPECT_THAT(delays_of(run), ElementsAre("2 compute after : 80 + 0", "1 compute after MPI_Barrier: 20 + 0"));
}

TEST(Delays, AreNoneWithoutWaits) {
  SyntheticRun run{2};
  run[0]->send({5, 6}, 1, 7, 8);
  run[1]->receive({10, 12}, 0, 7, 8);
  EXPECT_THAT(delays_of(run), IsEmpty());
}

TEST(Delays, OfRandomProgramsAreAsLongAsTheirWaits) {
  for (std::uint64_t seed = 1; seed <= cases(20); ++seed) {
    SyntheticRun run{4};
    play_waits(run, {0, 1, 2, 3}, seed);
    const auto outcome = run.merge(with_analyses());
    ASSERT_TRUE(outcome) << outcome.error().what;
    ASSERT_GT(sum_of_waits(outcome->summary), 10'000) << "seed " << seed;
    ASSERT_EQ(sum_of_delays(outcome->summary), sum_of_waits(outcome->summary)) << "seed " << seed;
  }
}

TEST(Delays, DoNotDependOnTheNumbersOfTheRanks) {
  const std::vector<std::size_t> places{2, 0, 3, 1};
  for (std::uint64_t seed = 1; seed <= cases(10); ++seed) {
    SyntheticRun run{4}, other{4};
    play_waits(run, {0, 1, 2, 3}, seed);
    play_waits(other, places, seed);
    auto outcome = run.merge(with_analyses()), renumbered = other.merge(with_analyses());
    ASSERT_TRUE(outcome && renumbered);
    using Key = std::tuple<std::size_t, std::string, std::string>;
    std::map<Key, std::pair<std::int64_t, std::int64_t>> expected, found;
    std::uint64_t waits = 0;
    for (const DelaySummary& row : outcome->summary.delays) {
      expected[{places[static_cast<std::size_t>(row.rank)], row.what, row.function}] = {ns(row.short_term_s),
                                                                                        ns(row.long_term_s)};
    }
    for (const DelaySummary& row : renumbered->summary.delays)
      found[{static_cast<std::size_t>(row.rank), row.what, row.function}] = {ns(row.short_term_s), ns(row.long_term_s)};
    for (const WaitPairSummary& row : outcome->summary.wait_pairs) waits += row.count;
    // The order of the shares of a wait decides which of them are rounded up.
    const auto most = static_cast<double>(waits);
    for (const auto& [key, times] : expected) {
      EXPECT_NEAR(static_cast<double>(found[key].first), static_cast<double>(times.first), most) << seed;
      EXPECT_NEAR(static_cast<double>(found[key].second), static_cast<double>(times.second), most) << seed;
    }
  }
}

}  // namespace
}  // namespace meridian::test
