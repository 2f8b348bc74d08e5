// SPDX-License-Identifier: Apache-2.0
// The tracer's own cost: in the summary, and subtracted from the times.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "merged/merged_trace.hpp"
#include "merger/statistics/duration_histogram.hpp"
#include "synthetic_trace.hpp"
#include "tests/support/seed.hpp"
#include "trace/model/recording_cost.hpp"

namespace meridian::test {
namespace {

using testing::ElementsAre;
using testing::Pair;

void measured(SyntheticRank& rank, CostKind kind, std::uint64_t ns_of_one) {
  rank.meta.overheads.push_back({static_cast<OverheadKind>(kind), 0, 0, 64 * ns_of_one, 64});
}

constexpr std::uint64_t kInside = 10, kOutside = 30;

void measured(SyntheticRank& rank) {
  measured(rank, CostKind::call, kInside + kOutside);
  measured(rank, CostKind::call_inside, kInside);
}

std::uint64_t found_times(const Summary& summary, const std::string& finding) {
  for (const Finding& found : summary.findings)
    if (found.name == finding) return found.count;
  return 0;
}

/// Enter and leave of each call of a rank, from its first enter on.
using CallTimes = std::vector<std::pair<std::int64_t, std::int64_t>>;
std::vector<CallTimes> times_in(const std::filesystem::path& path, std::size_t ranks) {
  std::vector<CallTimes> all(ranks);
  const auto trace = MergedTrace::open(path);
  EXPECT_TRUE(trace) << trace.error().what;
  if (!trace) return all;
  auto cursor = trace->select();
  MergedBatch batch;
  for (;;) {
    const auto has_events = cursor->next(batch);
    if (!has_events || !*has_events) break;
    for (const MergedEvent& event : batch.events)
      all[static_cast<std::size_t>(event.rank)].emplace_back(event.enter_ns, event.leave_ns());
  }
  for (CallTimes& times : all) {
    const std::int64_t first = times.empty() ? 0 : times.front().first;
    for (auto& [enter, leave] : times) {
      enter -= first;
      leave -= first;
    }
  }
  return all;
}

MergeOptions without_overhead() {
  MergeOptions options;
  options.removes_overhead = true;
  return options;
}

TEST(Overhead, OfCallsIsTheirNumberTimesTheMeasuredCost) {
  SyntheticRun run{2};
  for (std::size_t rank = 0; rank < 2; ++rank) {
    measured(run[rank], CostKind::call, 100 + 100 * rank);
    measured(run[rank], CostKind::other_call, 70);
    measured(run[rank], CostKind::poll, 5);
    measured(run[rank], CostKind::counted_call, 400);
    for (std::uint64_t i = 0; i < 4; ++i) run[rank]->call(CallId::Comm_rank, {1000 + 200 * i, 1100 + 200 * i});
    run[rank]->polls(CallId::Test, {2000, 3000}, 20, 900);
    run[rank]->lock(CallId::pthread_mutex_lock, {4000, 5000}, LockKind::mutex, 0x10, true);
  }
  run[0].meta.overheads.push_back({OverheadKind::start, 0, 0, 700, 1});
  const auto outcome = run.merge();
  ASSERT_TRUE(outcome) << outcome.error().what;
  std::vector<std::pair<std::string, std::uint64_t>> counts;
  std::vector<std::int64_t> total_ns;
  for (const OverheadSummary& row : outcome->summary.overhead) {
    counts.emplace_back(row.name, row.count);
    total_ns.push_back(std::llround(row.total_s * 1e9));
    EXPECT_NEAR(row.unit_s * static_cast<double>(row.count), row.total_s, 1e-15);
    EXPECT_NEAR(row.share, row.total_s / (2 * outcome->summary.run.time_s), 1e-12);
  }
  EXPECT_THAT(counts, ElementsAre(Pair("start", 1), Pair("MPI calls", 8), Pair("reading counters", 8),
                                  Pair("polls", 40), Pair("other calls", 2)));
  EXPECT_THAT(total_ns, ElementsAre(700, 8 * 150, 8 * 250, 40 * 5, 2 * 70));
}

TEST(RemovedOverhead, ShortensTheCallsOfARankAndThePausesBetweenThem) {
  SyntheticRun run{1};
  measured(run[0]);
  run[0]->call(CallId::Comm_rank, {1000, 1100});
  run[0]->call(CallId::Comm_rank, {1200, 1205});  // shorter than the cost inside
  run[0]->call(CallId::Comm_rank, {1300, 1400});
  const auto outcome = run.merge(without_overhead());
  ASSERT_TRUE(outcome) << outcome.error().what;
  EXPECT_EQ(found_times(outcome->summary, "overhead.removed"), 3U);
  EXPECT_THAT(times_in(run.merged(), 1)[0], ElementsAre(Pair(0, 90), Pair(160, 160), Pair(225, 315)));
}

TEST(RemovedOverhead, MovesAReceiveThatWaitedWithItsSend) {
  SyntheticRun run{2};
  measured(run[0]);
  measured(run[1]);
  for (std::uint64_t i = 0; i < 10; ++i) run[0]->call(CallId::Comm_rank, {100 * i, 100 * i + 50});
  run[0]->send({1000, 1010}, 1, 7, 8);  // 11 pauses and calls without costs: 10 * 40 earlier
  run[1]->receive({0, 1100}, 0, 7, 8);
  run[1]->call(CallId::Comm_rank, {1200, 1250});
  const auto outcome = run.merge(without_overhead());
  ASSERT_TRUE(outcome) << outcome.error().what;
  const auto times = times_in(run.merged(), 2);
  EXPECT_EQ(times[0].back().first, 600);
  EXPECT_THAT(times[1], ElementsAre(Pair(0, 700), Pair(770, 810)));
  EXPECT_EQ(outcome->summary.reversed_after, 0U);
}

TEST(RemovedOverhead, LeavesARankWithSeveralThreadsAsItWas) {
  SyntheticRun run{1};
  measured(run[0]);
  run[0].thread(0).call(CallId::Comm_rank, {1000, 1100});
  run[0].thread(0).call(CallId::Comm_rank, {1200, 1300});
  run[0].thread(1).call(CallId::Comm_rank, {1250, 1350});
  const auto outcome = run.merge(without_overhead());
  ASSERT_TRUE(outcome) << outcome.error().what;
  EXPECT_EQ(found_times(outcome->summary, "overhead.kept"), 1U);
  EXPECT_THAT(times_in(run.merged(), 1)[0], ElementsAre(Pair(0, 100), Pair(200, 300), Pair(250, 350)));
}

TEST(RemovedOverhead, WarnsWhereTheTimesDecideWhatIsReceived) {
  SyntheticRun run{2};
  measured(run[0]);
  run[0]->send({1000, 1010}, 1, 7, 8);
  run[1]->receive({0, 1100}, kAnySource, 7, Found{0, 7, 8});
  const auto outcome = run.merge(without_overhead());
  ASSERT_TRUE(outcome) << outcome.error().what;
  EXPECT_EQ(found_times(outcome->summary, "overhead.chance"), 1U);
  EXPECT_EQ(found_times(outcome->summary, "overhead.unmeasured"), 1U) << "rank 1 has no costs";
}

/// Ranks that compute, call locally, pass messages round a ring and meet in barriers, with and without the cost of recording. In each
/// round they compute for so different times that costs do not change who waits for whom.
void play_rounds(SyntheticRun& run, std::size_t rounds, std::uint64_t seed, bool has_costs) {
  std::mt19937_64 random{seed};
  const std::uint64_t inside = has_costs ? kInside : 0, outside = has_costs ? kOutside : 0;
  const std::size_t size = run.ranks.size();
  std::vector<std::uint64_t> now(size, 1000), sent(size);
  const auto begin = [&](std::size_t rank) {
    now[rank] += run[rank]->size() == 0 ? 0 : outside;
    return now[rank];
  };
  const auto end = [&](std::size_t rank, std::uint64_t enter, std::uint64_t length, std::uint64_t need) {
    now[rank] = need > enter ? need + length : enter + inside + length;
    return At{enter, now[rank]};
  };
  for (std::size_t round = 0; round < rounds; ++round) {
    const std::size_t slow = random() % size;
    for (std::size_t rank = 0; rank < size; ++rank) {
      now[rank] += 100 + random() % 50 + 1000 * ((rank + round) % size) + (rank == slow ? 20'000 : 0);
      const std::size_t calls = random() % 4;
      for (std::size_t i = 0; i < calls; ++i) {
        const std::uint64_t enter = begin(rank);
        run[rank]->call(CallId::Comm_rank, end(rank, enter, 40, 0));
        now[rank] += 60;
      }
      sent[rank] = begin(rank);
      run[rank]->send(end(rank, sent[rank], 25, 0), static_cast<std::int32_t>((rank + 1) % size), 7, 8);
      now[rank] += 60;
    }
    for (std::size_t rank = 0; rank < size; ++rank) {
      const std::size_t from = (rank + size - 1) % size;
      const std::uint64_t enter = begin(rank);
      run[rank]->receive(end(rank, enter, 35, sent[from]), static_cast<std::int32_t>(from), 7, 8);
      now[rank] += 60;
    }
    std::vector<std::uint64_t> enters;
    for (std::size_t rank = 0; rank < size; ++rank) enters.push_back(begin(rank));
    for (std::size_t rank = 0; rank < size; ++rank) {
      std::uint64_t others = 0;
      for (std::size_t other = 0; other < size; ++other)
        if (other != rank) others = std::max(others, enters[other]);
      run[rank]->collective(CallId::Barrier, end(rank, enters[rank], 30, others));
      now[rank] += 60;
    }
  }
  for (std::size_t rank = 0; rank < size; ++rank) measured(run[rank]);
}

TEST(RemovedOverhead, OfRandomProgramsGivesTheTimesThatTheyWouldHaveHad) {
  const std::uint64_t first = seeded(4711);
  for (const std::int32_t ranks : {2, 3, 4})
    for (std::uint64_t at = first; at < first + 2; ++at) {
      SyntheticRun untraced{ranks}, traced{ranks};
      play_rounds(untraced, 20, at, false);
      play_rounds(traced, 20, at, true);
      ASSERT_TRUE(untraced.merge());
      const auto outcome = traced.merge(without_overhead());
      ASSERT_TRUE(outcome) << outcome.error().what;
      const auto n = static_cast<std::size_t>(ranks);
      EXPECT_EQ(times_in(traced.merged(), n), times_in(untraced.merged(), n)) << "seed " << at;
    }
}

TEST(DurationHistogram, HasQuantilesWithinThreePercent) {
  std::mt19937_64 random{seeded(4712)};
  std::vector<std::uint64_t> all;
  DurationHistogram histogram;
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t ns = random() >> (random() % 50 + 14);
    all.push_back(ns);
    histogram.add(ns, 1);
  }
  std::ranges::sort(all);
  for (int i = 1; i < 10; ++i) {
    const double exact = static_cast<double>(all[static_cast<std::size_t>(i) * all.size() / 10]);
    EXPECT_NEAR(histogram.quantile(i / 10.0), exact, 0.04 * exact + 1) << i;
  }
  double sum = 0;
  for (std::size_t i = 0; i < 18'000; ++i) sum += static_cast<double>(all[i]);
  EXPECT_NEAR(histogram.mean_of_shortest(0.9), sum / 18'000, 0.03 * sum / 18'000);
  EXPECT_EQ(histogram.count(), 20'000U);
}

TEST(DurationHistogram, CountsTheShortestAndTheLongestDuration) {
  DurationHistogram histogram;
  EXPECT_EQ(histogram.quantile(0.5), 0);
  histogram.add(0, 1);
  histogram.add(~std::uint64_t{0}, 1);
  EXPECT_EQ(histogram.quantile(0.5), 0);
  EXPECT_NEAR(histogram.quantile(1), 18446744073709551615.0, 1e15);
}

TEST(FunctionTimes, HaveDecilesTrimmedMeanAndConfidence) {
  SyntheticRun run{1};
  for (std::uint64_t i = 0; i < 10; ++i) run[0]->call(CallId::Comm_rank, {1000 * i, 1000 * i + i + 1});  // 1 to 10 ns
  const auto outcome = run.merge();
  ASSERT_TRUE(outcome) << outcome.error().what;
  ASSERT_EQ(outcome->summary.function_times.size(), 1U);
  const FunctionTimesSummary& row = outcome->summary.function_times[0];
  EXPECT_EQ(row.function, "MPI_Comm_rank");
  EXPECT_EQ(row.count, 10U);
  EXPECT_NEAR(row.mean_s, 5.5e-9, 1e-15);
  EXPECT_NEAR(row.trimmed_mean_s, 5e-9, 1e-15);
  EXPECT_NEAR(row.decile1_s, 1e-9, 1e-15);
  EXPECT_NEAR(row.decile5_s, 5e-9, 1e-15);
  EXPECT_NEAR(row.decile9_s, 9e-9, 1e-15);
  EXPECT_NEAR(row.confidence95_s, 1.960 * 3.0276503540974917e-9 / 3.1622776601683795, 1e-14);
}

TEST(LockHolds, LastFromTakingALockUntilReleasingIt) {
  SyntheticRun run{1};
  SyntheticThread& thread = run[0].thread();
  thread.lock(CallId::pthread_mutex_lock, {1000, 1010}, LockKind::mutex, 0x40, false);
  thread.lock(CallId::pthread_mutex_lock, {1020, 1030}, LockKind::mutex, 0x40, false);  // recursive
  thread.lock(CallId::pthread_mutex_unlock, {1040, 1050}, LockKind::mutex, 0x40, false);
  thread.lock(CallId::pthread_mutex_unlock, {1110, 1120}, LockKind::mutex, 0x40, false);
  thread.lock(CallId::pthread_mutex_lock, {2000, 2010}, LockKind::mutex, 0x40, false);
  thread.lock(CallId::pthread_cond_wait, {2050, 3000}, LockKind::condition, 0x80, true, 0, 0, 0x40);
  thread.lock(CallId::pthread_mutex_unlock, {3300, 3310}, LockKind::mutex, 0x40, false);
  const auto outcome = run.merge();
  ASSERT_TRUE(outcome) << outcome.error().what;
  const auto lock = std::ranges::find(outcome->summary.locks, "mutex", &LockSummary::kind);
  ASSERT_NE(lock, outcome->summary.locks.end());
  EXPECT_EQ(lock->holds, 3U);
  EXPECT_NEAR(lock->hold_s, (100 + 40 + 300) * 1e-9, 1e-15);
  EXPECT_NEAR(lock->longest_hold_s, 300e-9, 1e-15);
}

}  // namespace
}  // namespace meridian::test
