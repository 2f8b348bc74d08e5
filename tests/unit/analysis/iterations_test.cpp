// SPDX-License-Identifier: Apache-2.0
// Iterations of small traces that are known. Times are ns.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "analysed.hpp"
#include "synthetic_trace.hpp"

namespace meridian::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Summary iterations_of(SyntheticRun& run) {
  const auto outcome = run.merge(with_analyses());
  EXPECT_TRUE(outcome) << outcome.error().what;
  return outcome ? outcome->summary : Summary{};
}

/// MPI_Init until 10. Then in each iteration: work(iteration, rank), and a barrier that ends after `length`.
template <class Work>
void play_loop(SyntheticRun& run, std::size_t iterations, std::uint64_t length, Work&& work) {
  for (std::size_t rank = 0; rank < run.ranks.size(); ++rank) {
    run[rank]->call(CallId::Init, {0, 10});
    std::uint64_t now = 10;
    for (std::size_t i = 0; i < iterations; ++i) {
      const std::uint64_t worked = now + static_cast<std::uint64_t>(work(i, rank));
      now = std::max(now + length, worked + 10);
      run[rank]->collective(CallId::Barrier, {worked, now});
    }
    run[rank]->call(CallId::Finalize, {now + 10, now + 20});
  }
}

/// "MPI_Barrier x 49 from 110 to 5010: 100 +- 0, 100 to 100, 60 outside MPI, 1 calls".
std::vector<std::string> phases(const Summary& summary) {
  std::vector<std::string> all;
  for (const PhaseSummary& row : summary.phases) {
    char text[200];
    std::snprintf(text, sizeof text,
                  "%s x %d from %lld to %lld: %lld +- %lld, %lld to %lld, %lld outside MPI, %g calls",
                  row.function.c_str(), static_cast<int>(row.iterations), static_cast<long long>(ns(row.begin_s)),
                  static_cast<long long>(ns(row.end_s)), static_cast<long long>(ns(row.mean_s)),
                  static_cast<long long>(ns(row.sd_s)), static_cast<long long>(ns(row.min_s)),
                  static_cast<long long>(ns(row.max_s)), static_cast<long long>(ns(row.compute_s)), row.calls);
    all.emplace_back(text);
  }
  return all;
}

std::vector<std::string> sentences(const Summary& summary) {
  std::vector<std::string> all;
  for (const IterationFindingSummary& row : summary.iteration_findings) all.push_back(row.text);
  return all;
}

TEST(Iterations, OfALoopHaveTheirLengthsAndTheirComputing) {
  for (const std::int32_t ranks : {1, 2, 4}) {
    SyntheticRun run{ranks};
    play_loop(run, 50, 100, [](std::size_t, std::size_t rank) { return 60 + 2 * rank; });
    const Summary summary = iterations_of(run);
    const std::string compute = ranks == 4 ? "63" : ranks == 2 ? "61" : "60";
    EXPECT_THAT(phases(summary), ElementsAre("MPI_Barrier x 49 from 110 to 5010: 100 +- 0, 100 to 100, " + compute +
                                             " outside MPI, 1 calls"));
    EXPECT_THAT(sentences(summary), IsEmpty());
    ASSERT_EQ(summary.iterations.size(), 49U);
    const IterationSummary& third = summary.iterations[2];
    EXPECT_EQ(third.phase, 0U);
    EXPECT_EQ(third.iteration, 3U);
    EXPECT_EQ(third.count, 1U);
    EXPECT_EQ(ns(third.begin_s), 310);
    EXPECT_EQ(ns(third.mean_s), 100);
    EXPECT_EQ(third.slowest, ranks - 1);
    EXPECT_EQ(ns(third.slowest_s), 60 + 2 * (ranks - 1));
  }
}

TEST(Iterations, OfSomeRanksNameTheirRanks) {
  SyntheticRun run{3};
  run[0]->call(CallId::Init, {0, 10});
  for (std::uint64_t i = 0; i < 50; ++i) run[0]->call(CallId::Comm_rank, {20 + 100 * i, 22 + 100 * i});
  run[0]->call(CallId::Finalize, {5100, 5120});
  for (const std::size_t rank : {1U, 2U}) {
    run[rank]->call(CallId::Init, {0, 10});
    for (std::uint64_t i = 0; i < 50; ++i) {
      const std::uint64_t work = rank == 2 ? (i == 30 ? 90 : 40) : 30;
      run[rank]->call(CallId::File_write, {10 + 100 * i + work, 110 + 100 * i});
    }
    run[rank]->call(CallId::Finalize, {5100, 5120});
  }
  const Summary summary = iterations_of(run);
  EXPECT_THAT(phases(summary),
              ElementsAre("MPI_File_write x 49 from 110 to 5010: 100 +- 0, 100 to 100, 36 outside MPI, 1 calls"));
  EXPECT_THAT(sentences(summary), ElementsAre("Iteration 30: rank 2 computes 90.0 ns instead of 40.0 ns."));
  ASSERT_EQ(summary.iterations.size(), 49U);
  EXPECT_EQ(summary.iterations[5].slowest, 2);
  EXPECT_EQ(ns(summary.iterations[5].compute_s), 35);
}

TEST(Iterations, AreNoneInAProgramThatRepeatsNothing) {
  SyntheticRun run{2};
  play_loop(run, 4, 100, [](std::size_t, std::size_t) { return 60; });
  const Summary summary = iterations_of(run);
  EXPECT_THAT(phases(summary), IsEmpty());
  EXPECT_THAT(summary.iterations, IsEmpty());
}

TEST(Iterations, ThatAreSlowerFromOneOnExplainTheWaitsForTheirRank) {
  SyntheticRun run{2};
  play_loop(run, 50, 100, [](std::size_t i, std::size_t rank) { return rank == 1 && i >= 20 ? 78 : 60; });
  const Summary summary = iterations_of(run);
  EXPECT_THAT(sentences(summary),
              ElementsAre("From iteration 20 on rank 1 computes 30 % longer: 78.0 ns instead of 60.0 ns."));
  const IterationFindingSummary& step = summary.iteration_findings.at(0);
  EXPECT_EQ(step.kind, "step");
  EXPECT_EQ(step.rank, 1);
  EXPECT_EQ(step.iteration, 20U);
  EXPECT_EQ(ns(step.cost_s), 30 * 18);
  const auto wait = std::ranges::find(summary.problems, "wait at barrier", &ProblemSummary::problem);
  ASSERT_NE(wait, summary.problems.end());
  EXPECT_EQ(wait->causer, 1);
  EXPECT_THAT(wait->text, HasSubstr(step.text));
  for (const ProblemSummary& problem : summary.problems) EXPECT_NE(problem.problem, "drift");
}

TEST(Iterations, ThatGetSlowerOnAllRanksAreAProblem) {
  SyntheticRun run{2};
  play_loop(run, 50, 10, [](std::size_t i, std::size_t) { return 1000 + 30 * i; });
  const Summary summary = iterations_of(run);
  ASSERT_EQ(summary.iteration_findings.size(), 1U);
  EXPECT_EQ(summary.iteration_findings[0].kind, "trend");
  EXPECT_EQ(summary.iteration_findings[0].rank, -1);
  ASSERT_FALSE(summary.problems.empty());
  EXPECT_EQ(summary.problems[0].problem, "drift");
  EXPECT_EQ(summary.problems[0].function, "MPI_Barrier");
  // 30 more in each of 49 iterations, on both ranks; the line begins at the first one.
  EXPECT_NEAR(static_cast<double>(ns(summary.problems[0].cost_s)), 30 * 49 * 48, 0.02 * 30 * 49 * 48);
}

TEST(Iterations, ThatAreSlowAreNamedWithTheirRank) {
  SyntheticRun run{4};
  play_loop(run, 50, 1000, [](std::size_t i, std::size_t rank) { return rank == 2 && i == 7 ? 900 : 300; });
  const Summary summary = iterations_of(run);
  EXPECT_THAT(sentences(summary), ElementsAre("Iteration 7: rank 2 computes 900 ns instead of 300 ns."));
  EXPECT_EQ(ns(summary.iteration_findings.at(0).cost_s), 3 * 600);
}

TEST(Iterations, OfALongPhaseAreGroupedEqually) {
  SyntheticRun run{2};
  play_loop(run, 2500, 100, [](std::size_t i, std::size_t) { return 30 + i % 3 * 10; });
  const Summary summary = iterations_of(run);
  ASSERT_EQ(summary.iterations.size(), 833U);
  for (std::size_t i = 0; i < 833; ++i) {
    EXPECT_EQ(summary.iterations[i].iteration, 3 * i + 1);
    EXPECT_EQ(summary.iterations[i].count, 3U);
    EXPECT_EQ(ns(summary.iterations[i].compute_s), 40);
  }
}

TEST(Iterations, OfARegionEndWithTheLastOne) {
  SyntheticRun run{2};
  for (std::size_t rank = 0; rank < 2; ++rank) {
    run[rank].meta.user_definitions = {{1, UserKind::region, "region", "step", ""}};
    const auto region = [&](std::uint64_t at, std::uint8_t flag) {
      run[rank]->call(CallId::UserRegion, {at, at}, Payload::user, flag);
      run[rank]->batch.user.push_back({.definition = 1});
    };
    run[rank]->call(CallId::Init, {0, 10});
    for (std::uint64_t i = 0; i < 6; ++i) {
      region(100 * i + 20, kFlagBegins);
      run[rank]->collective(CallId::Barrier, {100 * i + 50, 100 * i + 60});
      run[rank]->collective(CallId::Barrier, {100 * i + 80, 100 * i + 90});
      region(100 * i + 110, kFlagEnds);
    }
    run[rank]->call(CallId::Finalize, {700, 720});
  }
  // Five iterations of 100 to the next begin, which is their fourth call, and one of 90 to its end: 20 of each are in MPI.
  // Its instances last from its begin to its end.
  const Summary summary = iterations_of(run);
  EXPECT_THAT(phases(summary), ElementsAre("step x 6 from 20 to 610: 98 +- 4, 90 to 100, 78 outside MPI, 3.83333 calls",
                                           "step x 6 from 20 to 610: 90 +- 0, 90 to 90, 70 outside MPI, 3 calls"));
  EXPECT_EQ(summary.phases[0].unit, "iteration");
  EXPECT_EQ(summary.phases[1].unit, "instance");
}

TEST(Iterations, InstancesOfARegionEndWithTheRegionAroundThem) {
  SyntheticRun run{1};
  run[0].meta.user_definitions = {{1, UserKind::region, "region", "walk", ""},
                                  {2, UserKind::region, "region", "look", ""}};
  const auto region = [&](std::uint64_t at, std::uint32_t definition, std::uint8_t flag) {
    run[0]->call(CallId::UserRegion, {at, at}, Payload::user, flag);
    run[0]->batch.user.push_back({.definition = definition});
  };
  run[0]->call(CallId::Init, {0, 10});
  for (std::uint64_t i = 0; i < 30; ++i) {
    region(100 * i + 20, 1, kFlagBegins);
    region(100 * i + 30, 2, kFlagBegins);
    region(100 * i + 40, 1, kFlagEnds);
    region(100 * i + 90, 2, kFlagEnds);  // too late
  }
  run[0]->call(CallId::Finalize, {3100, 3110});
  const Summary summary = iterations_of(run);
  const auto instances = std::ranges::find_if(
      summary.phases, [](const PhaseSummary& phase) { return phase.function == "look" && phase.unit == "instance"; });
  ASSERT_NE(instances, summary.phases.end());
  EXPECT_EQ(ns(instances->max_s), 10);
}

TEST(Iterations, InstancesOfARegionHaveTheirOwnOutliersAndDrifts) {
  SyntheticRun run{2};
  for (std::size_t rank = 0; rank < 2; ++rank) {
    run[rank].meta.user_definitions = {{1, UserKind::region, "region", "solve", ""}};
    const auto region = [&](std::uint64_t at, std::uint8_t flag) {
      run[rank]->call(CallId::UserRegion, {at, at}, Payload::user, flag);
      run[rank]->batch.user.push_back({.definition = 1});
    };
    run[rank]->call(CallId::Init, {0, 10});
    for (std::uint64_t i = 0; i < 30; ++i) {  // from the eleventh on longer; what comes after it makes up for that
      region(1000 * i + 100, kFlagBegins);
      region(1000 * i + (i < 10 ? 300 : 500), kFlagEnds);
      run[rank]->collective(CallId::Barrier, {1000 * i + 900, 1000 * i + 910});
    }
    run[rank]->call(CallId::Finalize, {31000, 31010});
  }
  const Summary summary = iterations_of(run);
  ASSERT_EQ(summary.phases.size(), 2U);
  EXPECT_EQ(summary.phases[1].function, "solve");
  EXPECT_EQ(summary.phases[1].unit, "instance");
  EXPECT_THAT(sentences(summary),
              ElementsAre("From instance 11 on the ranks compute 100 % longer: 400 ns instead of 200 ns."));
  EXPECT_THAT(summary.problems, testing::Each(testing::Field(&ProblemSummary::problem, testing::Ne("drift"))));
}

TEST(Iterations, OfARegionInsideItselfAreNone) {
  SyntheticRun run{1};
  run[0].meta.user_definitions = {{1, UserKind::region, "region", "walk", ""}};
  const auto region = [&](std::uint64_t at, std::uint8_t flag) {
    run[0]->call(CallId::UserRegion, {at, at}, Payload::user, flag);
    run[0]->batch.user.push_back({.definition = 1});
  };
  for (std::uint64_t i = 0; i < 6; ++i) {
    region(100 * i + 10, kFlagBegins);
    region(100 * i + 20, kFlagBegins);
    region(100 * i + 30, kFlagEnds);
    region(100 * i + 40, kFlagEnds);
  }
  for (const PhaseSummary& phase : iterations_of(run).phases) EXPECT_NE(phase.unit, "instance");
}

TEST(Iterations, AreThoseOfTheMainThread) {
  SyntheticRun run{2};
  play_loop(run, 10, 100, [](std::size_t, std::size_t) { return 60; });
  for (std::uint64_t at = 30; at < 1000; at += 50) run[1].thread(1).call(CallId::Probe, {at, at + 5}, Payload::local);
  EXPECT_THAT(phases(iterations_of(run)),
              ElementsAre("MPI_Barrier x 9 from 110 to 1010: 100 +- 0, 100 to 100, 60 outside MPI, 1 calls"));
}

}  // namespace
}  // namespace meridian::test
