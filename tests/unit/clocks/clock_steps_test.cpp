// SPDX-License-Identifier: Apache-2.0
// Clock steps during the run.

#include "merger/clocks/steps/clock_steps.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "clock_simulator.hpp"
#include "merger/clocks/fit/fit_clocks.hpp"
#include "merger/clocks/samples/clock_observer.hpp"

namespace meridian::test {
namespace {

Scenario stepped(double step_ns, std::uint64_t seed) {
  return {.name = "step", .hosts = 6, .seconds = 60, .step_ns = step_ns, .seed = seed};
}

struct StepFigures {
  double victim_p50 = 0, victim_p90 = 0;  // in L; its times around the step are uncertain
  double others_worst = 0;
};

StepFigures step_errors(const SimulatedRun& run, const Clocks& clocks) {
  constexpr int kChecks = 400;
  const int per_host = run.scenario.ranks_per_host;
  std::size_t reference = 0;
  while (clocks.domain_of[reference] != clocks.reference) ++reference;
  const auto home = static_cast<std::size_t>(run.host_of(static_cast<int>(reference)));
  StepFigures figures;
  std::vector<double> of_victim;
  for (int i = 0; i < kChecks; ++i) {
    const double t = run.begin_s + .02 + (run.end_s - run.begin_s - .04) * i / kChecks;
    const std::int64_t truth = clocks.maps[reference].to_global(run.clocks[home].ticks(t));
    for (int h = 0; h < run.scenario.hosts; ++h) {
      const auto rank = static_cast<std::size_t>(h) * static_cast<std::size_t>(per_host);
      const std::int64_t found = clocks.maps[rank].to_global(run.clocks[static_cast<std::size_t>(h)].ticks(t));
      const double error = std::abs(static_cast<double>(found - truth)) / run.scenario.latency_ns;
      if (h == run.scenario.victim())
        of_victim.push_back(error);
      else
        figures.others_worst = std::max(figures.others_worst, error);
    }
  }
  std::ranges::sort(of_victim);
  figures.victim_p50 = of_victim[kChecks / 2];
  figures.victim_p90 = of_victim[kChecks * 9 / 10];
  return figures;
}

class ClockSteps : public testing::TestWithParam<double> {};

TEST_P(ClockSteps, OfAnySizeAreFoundAndDoNotAffectOtherClocks) {
  for (const std::uint64_t seed : {1u, 2u}) {
    const SimulatedRun run{stepped(GetParam(), seed)};
    const ClockTrial trial{run, ClockOptions{}};
    const StepFigures figures = step_errors(run, trial.clocks);
    EXPECT_LE(figures.others_worst, 0.25) << seed;
    EXPECT_LE(figures.victim_p50, 0.05) << seed;
    EXPECT_LE(figures.victim_p90, 0.25) << seed;
    const auto t1 = bounds(run, trial.clocks, BoundLevel::t1);
    EXPECT_EQ(t1.outside, 0u) << seed;
    EXPECT_GT(t1.points, 20 * t1.uncertified) << seed;
    EXPECT_GT(t1.uncertified, 0u) << seed;
    const std::uint32_t victim = trial.clocks.domain_of[static_cast<std::size_t>(run.scenario.victim()) *
                                                        static_cast<std::size_t>(run.scenario.ranks_per_host)];
    ASSERT_FALSE(trial.correction.steps[victim].empty()) << seed;
    double size = 0;
    for (const ClockStep& step : trial.correction.steps[victim]) size += step.size_ns;
    EXPECT_NEAR(size, GetParam(), 2000 + std::abs(GetParam()) * 0.03)
        << seed;  // on the first line, which has its own rate
    for (std::uint32_t h = 0; h < trial.clocks.domains; ++h)
      EXPECT_EQ(trial.correction.steps[h].empty(), h != victim) << seed << h;
    EXPECT_TRUE(
        std::ranges::any_of(trial.clocks.findings, [](const Finding& one) { return one.name == "clock.step"; }));
  }
}

INSTANTIATE_TEST_SUITE_P(Nanoseconds, ClockSteps, testing::Values(5e4, -5e4, 1e6, -1e6, 1e8, -1e8, 1e9, -1e9));

/// The steps removed from each host's clock.
std::vector<double> taken_out(const SimulatedRun& run, const ClockTrial& trial) {
  std::vector<double> sizes;
  for (int h = 0; h < run.scenario.hosts; ++h) {
    double size = 0;
    const auto rank = static_cast<std::size_t>(h) * static_cast<std::size_t>(run.scenario.ranks_per_host);
    for (const ClockStep& step : trial.correction.steps[trial.clocks.domain_of[rank]]) size += step.size_ns;
    sizes.push_back(size);
  }
  return sizes;
}

/// The hosts that the finding names.
std::string hosts_of(const ClockTrial& trial, const std::string& finding) {
  for (const Finding& one : trial.clocks.findings)
    if (one.name == finding) return one.detail;
  return {};
}

void expect_nothing_false(const SimulatedRun& run, const ClockTrial& trial) {
  for (const BoundLevel level : {BoundLevel::t1, BoundLevel::t2}) {
    const BoundFigures figures = bounds(run, trial.clocks, level, 2000);
    EXPECT_EQ(figures.outside, 0u);
    EXPECT_GT(figures.points, 4 * figures.uncertified);
    EXPECT_GT(figures.uncertified, 0u);
  }
}

Scenario with_sets(std::vector<ClockSet> sets, int hosts = 6) {
  return {.name = "set", .hosts = hosts, .seconds = 60, .sets = std::move(sets)};
}

class StepsOfTheReference : public testing::TestWithParam<double> {};

TEST_P(StepsOfTheReference, AreTakenOutOfItsOwnClock) {
  constexpr double kAtS = 25, kBeginS = 5 + kAtS;
  const SimulatedRun run{with_sets({{0, kAtS, GetParam()}})};
  const ClockTrial trial{run, ClockOptions{}};
  ASSERT_EQ(trial.clocks.domain_of[0], trial.clocks.reference);
  const std::vector<double> sizes = taken_out(run, trial);
  EXPECT_NEAR(sizes[0], GetParam(), 1000 + 2e-5 * std::abs(GetParam()));
  for (std::size_t h = 1; h < sizes.size(); ++h) EXPECT_EQ(sizes[h], 0) << h;
  EXPECT_EQ(hosts_of(trial, "clock.step"), "node0");
  // Global time continues as before, except for the drift of the clock and the uncertainty of the step's size.
  const auto ahead_ns = [&](double true_s) {
    return static_cast<double>(trial.clocks.maps[0].to_global(run.clocks[0].ticks(true_s))) - true_s * 1e9;
  };
  const double before = ahead_ns(kBeginS - 3) - ahead_ns(kBeginS - 9);
  EXPECT_NEAR(ahead_ns(kBeginS + 3) - ahead_ns(kBeginS - 3), before, 6000);
  EXPECT_LE(errors(run, trial.clocks).p50, 0.05);
  expect_nothing_false(run, trial);
}

INSTANTIATE_TEST_SUITE_P(Nanoseconds, StepsOfTheReference, testing::Values(5e4, -5e4, 1e6, -1e6, 1e9, -1e9));

TEST(ClockSteps, OfSeveralHostsAreDistinguished) {
  const SimulatedRun run{with_sets({{2, 25, 1e6}, {3, 25.004, -3e6}, {5, 40, 2e8}})};
  const ClockTrial trial{run, ClockOptions{}};
  const std::vector<double> sizes = taken_out(run, trial);
  const double expected[] = {0, 0, 1e6, -3e6, 0, 2e8};
  for (std::size_t h = 0; h < sizes.size(); ++h) EXPECT_NEAR(sizes[h], expected[h], 0.005 * std::abs(expected[h])) << h;
  EXPECT_EQ(hosts_of(trial, "clock.step"), "node2; node3; node5");
  EXPECT_LE(errors(run, trial.clocks).p50, 0.05);
  expect_nothing_false(run, trial);
}

TEST(ClockSteps, OfOneHostMayBeMany) {
  const SimulatedRun run{with_sets({{3, 10, 1e6}, {3, 13, 1e6}, {3, 30, -1e6}, {3, 50, 1e8}})};
  const ClockTrial trial{run, ClockOptions{}};
  EXPECT_EQ(trial.correction.steps[trial.clocks.domain_of[6]].size(), 4u);
  EXPECT_NEAR(taken_out(run, trial)[3], 1.01e8, 5e5);
  EXPECT_LE(errors(run, trial.clocks).p50, 0.05);
  expect_nothing_false(run, trial);
}

TEST(ClockSteps, OfTwoHostsAreAttributedToTheOneThatIsNotTheReference) {
  for (const int host : {0, 1}) {
    const SimulatedRun run{with_sets({{host, 25, 1e6}}, 2)};
    const ClockTrial trial{run, ClockOptions{}};
    EXPECT_NEAR(taken_out(run, trial)[1], host == 1 ? 1e6 : -1e6, 2000);
    EXPECT_EQ(taken_out(run, trial)[0], 0);
    EXPECT_EQ(hosts_of(trial, "clock.step"), "node1");
    EXPECT_LE(errors(run, trial.clocks).p99, 0.1);
    expect_nothing_false(run, trial);
  }
}

TEST(ClockSteps, OfAHostThatStoodStillLeaveAllItsOtherTimesWithBounds) {
  constexpr double kAtS = 20, kStillS = 15;
  const SimulatedRun run{with_sets({{3, kAtS, 0, kStillS}})};
  const ClockTrial trial{run, ClockOptions{}};
  EXPECT_NEAR(taken_out(run, trial)[3], -kStillS * 1e9,
              0.35 * kStillS * 1e9);  // on a first line that has it in its rate
  const std::uint32_t domain = trial.clocks.domain_of[6];
  for (const double true_s : {7.0, 20.0, 22.0, 43.0, 50.0, 62.0}) {
    const std::int64_t found = trial.clocks.maps[6].to_global(run.clocks[3].ticks(true_s));
    EXPECT_TRUE(trial.clocks.bounds.at(domain, found, BoundLevel::t1)) << true_s;
    const std::int64_t truth = trial.clocks.maps[0].to_global(run.clocks[0].ticks(true_s));
    EXPECT_NEAR(static_cast<double>(found), static_cast<double>(truth), 0.25 * run.scenario.latency_ns) << true_s;
  }
  EXPECT_EQ(bounds(run, trial.clocks, BoundLevel::t1, 2000).outside, 0u);
}

TEST(ClockSteps, BetweenRareMessagesLeaveNoBoundAroundThem) {
  for (const int host : {0, 3})
    for (const double size_ns : {1e4, -1e5}) {
      Scenario scenario = with_sets({{host, 100, size_ns}}, 16);
      scenario.seconds = 200;
      scenario.only_every = 100;
      const SimulatedRun run{scenario};
      const ClockTrial trial{run, ClockOptions{}};
      SCOPED_TRACE(std::to_string(host) + ", " + std::to_string(size_ns));
      const BoundFigures figures = bounds(run, trial.clocks, BoundLevel::t1, 2000);
      EXPECT_EQ(figures.outside, 0u);
      EXPECT_GT(figures.uncertified, 0u);
      EXPECT_FALSE(hosts_of(trial, "clock.uncertified").empty());
    }
}

TEST(ClockSteps, AreNotSeenInClocksThatAreSlewedOrInLinksThatAreBusy) {
  for (Scenario scenario : {Scenario{.drift = Drift::slewed}, Scenario{.is_congested = true},
                            Scenario{.pattern = Pattern::random}, Scenario{.only_every = 100}}) {
    scenario.hosts = 6;
    scenario.seconds = 60;
    const SimulatedRun run{scenario};
    const auto metas = run.meta_pointers();
    const Clocks first = *fit_clocks(metas, {});
    ClockObserver observer{metas, first};
    for (MatchedMessage message : run.messages) {
      const auto global = [&](std::int32_t rank, std::int64_t ticks) {
        return first.maps[static_cast<std::size_t>(rank)].to_global(static_cast<std::uint64_t>(ticks));
      };
      message.send_enter_ns = global(message.send.rank, message.send_enter_ns);
      message.receive_leave_ns = global(message.completion.rank, message.receive_leave_ns);
      observer.add(std::span{&message, 1});
    }
    const ClockSamples& samples = observer.finish();
    ASSERT_GT(samples.messages(), 100u);
    const auto begin = static_cast<double>(samples.origin_ns());
    ClockCorrection correction{
        begin, static_cast<double>(samples.end_ns()) - begin, first.domains,
        2,     std::vector<double>(2 * first.domains),        std::vector<std::vector<ClockStep>>(first.domains)};
    EXPECT_EQ(find_steps(samples, correction, first.reference), 0u);
  }
}

}  // namespace
}  // namespace meridian::test
