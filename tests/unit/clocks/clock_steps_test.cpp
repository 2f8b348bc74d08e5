// Clocks that are set while the program runs.

#include "merger/clocks/clock_steps.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "clock_simulator.hpp"

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
  constexpr int kMoments = 400;
  const int per_host = run.scenario.ranks_per_host;
  std::size_t reference = 0;
  while (clocks.domain_of[reference] != clocks.reference) ++reference;
  const auto home = static_cast<std::size_t>(run.host_of(static_cast<int>(reference)));
  StepFigures figures;
  std::vector<double> of_victim;
  for (int i = 0; i < kMoments; ++i) {
    const double t = run.begin_s + .02 + (run.end_s - run.begin_s - .04) * i / kMoments;
    const std::int64_t truth = clocks.maps[reference].to_global(run.clocks[home].ticks(t));
    for (int h = 0; h < run.scenario.hosts; ++h) {
      const auto rank = static_cast<std::size_t>(h * per_host);
      const std::int64_t found = clocks.maps[rank].to_global(run.clocks[static_cast<std::size_t>(h)].ticks(t));
      const double error = std::abs(static_cast<double>(found - truth)) / run.scenario.latency_ns;
      if (h == run.scenario.victim())
        of_victim.push_back(error);
      else
        figures.others_worst = std::max(figures.others_worst, error);
    }
  }
  std::ranges::sort(of_victim);
  figures.victim_p50 = of_victim[kMoments / 2];
  figures.victim_p90 = of_victim[kMoments * 9 / 10];
  return figures;
}

class ClockSteps : public testing::TestWithParam<double> {};

TEST_P(ClockSteps, OfAnySizeLeaveOtherClocksAloneAndAreFound) {
  for (const std::uint64_t seed : {1, 2}) {
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
    const std::uint32_t victim =
        trial.clocks.domain_of[static_cast<std::size_t>(run.scenario.victim() * run.scenario.ranks_per_host)];
    ASSERT_FALSE(trial.residual.jumps[victim].empty()) << seed;
    double size = 0;
    for (const ClockJump& jump : trial.residual.jumps[victim]) size += jump.size_ns;
    EXPECT_NEAR(size, GetParam(), 2000 + std::abs(GetParam()) * 0.03)
        << seed;  // on the first line, which has its own rate
    for (std::uint32_t h = 0; h < trial.clocks.domains; ++h)
      EXPECT_EQ(trial.residual.jumps[h].empty(), h != victim) << seed << h;
    EXPECT_TRUE(
        std::ranges::any_of(trial.clocks.findings, [](const Finding& one) { return one.name == "clock.step"; }));
  }
}

INSTANTIATE_TEST_SUITE_P(Nanoseconds, ClockSteps, testing::Values(5e4, -5e4, 1e6, -1e6, 1e8, -1e8, 1e9, -1e9));

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
    ClockResidual residual{
        begin, static_cast<double>(samples.end_ns()) - begin, first.domains,
        2,     std::vector<double>(2 * first.domains),        std::vector<std::vector<ClockJump>>(first.domains)};
    EXPECT_EQ(find_steps(samples, residual, first.reference), 0u);
  }
}

}  // namespace
}  // namespace meridian::test
