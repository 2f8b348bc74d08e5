// SPDX-License-Identifier: Apache-2.0
// Clock steps between messages that are rare, or wait in their receivers.

#include "merger/clocks/steps/straight_steps.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "clock_scenarios.hpp"
#include "clock_simulator.hpp"
#include "tests/support/seed.hpp"

namespace meridian::test {
namespace {

constexpr double kSecond = 1e9;
constexpr double kPeriodS = 20, kRunS = 900;

/// Hosts that exchange two messages with host 0 in each period. One of the two arrives within 20 us, the other one waits in its receiver
/// for up to a second.
class RareMessages {
 public:
  /// ahead  what a host's clock is ahead of host 0's, in ns, at a time in s
  RareMessages(std::vector<std::function<double(double)>> ahead, std::uint64_t seed)
      : samples_{ahead.size()}, ahead_{std::move(ahead)} {
    std::mt19937_64 random{seeded(seed)};
    std::uniform_real_distribution<double> quick{2e-6, 20e-6}, late{1e-3, 1};
    for (double at = 0; at <= kRunS; at += kPeriodS)
      for (std::uint32_t h = 1; h < ahead_.size(); ++h) {
        const bool is_quick_there = at == 0 || at + kPeriodS > kRunS || random() % 2 == 0;
        const bool is_quick_back = at == 0 || at + kPeriodS > kRunS || !is_quick_there;
        add(0, h, at, is_quick_there ? quick(random) : late(random));
        add(h, 0, at, is_quick_back ? quick(random) : late(random));
      }
    samples_.seal();
  }

  ClockCorrection zero() const {
    const auto begin = static_cast<double>(samples_.origin_ns());
    const std::size_t domains = ahead_.size();
    return {begin,
            static_cast<double>(samples_.end_ns()) - begin,
            domains,
            2,
            std::vector<double>(2 * domains),
            std::vector<std::vector<ClockStep>>(domains)};
  }
  const ClockSamples& samples() const { return samples_; }

 private:
  void add(std::uint32_t from, std::uint32_t to, double at_s, double way_s) {
    const auto stamp = [&](std::uint32_t h, double s) { return std::llround(s * kSecond + ahead_[h](s)); };
    samples_.add({stamp(from, at_s), stamp(to, at_s + way_s), from, to});
  }

  ClockSamples samples_;
  std::vector<std::function<double(double)>> ahead_;
};

double nothing(double) { return 0; }

TEST(StraightSteps, AreFoundBetweenTheLastMessageBeforeAndTheFirstOneBehindThem) {
  const auto set_at_410 = [](double s) { return 30'000 * s / 900 + (s < 410 ? 0 : 4e6); };
  const RareMessages run{{nothing, set_at_410, nothing}, 1};
  ClockCorrection correction = run.zero();
  ASSERT_EQ(find_straight_steps(run.samples(), correction, 0, std::vector<double>(3, 0)), 1u);
  EXPECT_TRUE(correction.steps[0].empty());
  EXPECT_TRUE(correction.steps[2].empty());
  ASSERT_EQ(correction.steps[1].size(), 1u);
  const ClockStep& step = correction.steps[1][0];
  EXPECT_NEAR(step.size_ns, 4e6, 1e5);
  EXPECT_LE(step.last_before_ns, 410 * kSecond);
  EXPECT_GE(step.first_after_ns, 410 * kSecond);
  EXPECT_LE(step.first_after_ns - step.last_before_ns, 6 * kPeriodS * kSecond);
  for (const double s : {1.0, 200.0, 600.0, 899.0})
    EXPECT_NEAR(correction.corrected(1, s * kSecond + set_at_410(s)), s * kSecond, 1e5) << s;
}

TEST(StraightSteps, OfTheReferenceMoveTheOthers) {
  // The clock of host 0 was set back by 1 s: to it, the others seem to have been set forth.
  const auto set = [](double s) { return s < 410 ? 0 : 1e9; };
  RareMessages run{{nothing, set, set}, 2};
  ClockCorrection correction = run.zero();
  EXPECT_EQ(find_straight_steps(run.samples(), correction, 0, std::vector<double>(3, 0)), 1u);
  ASSERT_EQ(correction.steps[0].size(), 1u);
  EXPECT_NEAR(correction.steps[0][0].size_ns, -1e9, 1e5);
  for (const double s : {1.0, 200.0, 600.0, 899.0})
    EXPECT_NEAR(correction.corrected(1, s * kSecond + set(s)), s * kSecond + set(s), 1e5) << s;
}

TEST(StraightSteps, MayBeSeveralOfOneHost) {
  const auto set_twice = [](double s) { return s < 250 ? 0 : s < 650 ? 5e6 : -30e6; };
  const RareMessages run{{nothing, set_twice, nothing, nothing}, 3};
  ClockCorrection correction = run.zero();
  ASSERT_EQ(find_straight_steps(run.samples(), correction, 0, std::vector<double>(4, 0)), 2u);
  ASSERT_EQ(correction.steps[1].size(), 2u);
  EXPECT_NEAR(correction.steps[1][0].size_ns, 5e6, 2e5);
  EXPECT_NEAR(correction.steps[1][1].size_ns, -35e6, 2e5);
}

TEST(StraightSteps, AreNoneOfClocksWithOtherRatesThatWanderAsOscillatorsDo) {
  const auto wanders = [](double s) { return 4e4 * std::sin(s / 200) + 20'000 * s; };
  const RareMessages run{{nothing, wanders, nothing}, 4};
  ClockCorrection correction = run.zero();
  correction.knot(1, 1) = -20'000 * kRunS;
  const std::vector<double> before = correction.z;
  EXPECT_EQ(find_straight_steps(run.samples(), correction, 0, std::vector<double>(3, 0)), 0u);
  EXPECT_EQ(correction.z, before);
  EXPECT_FALSE(correction.has_steps());
}

TEST(StraightSteps, AreNoneOfAClockWhoseRateChanged) {
  const auto turns = [](double s) { return s < 450 ? 0 : 30'000 * (s - 450); };
  const RareMessages run{{nothing, turns, nothing}, 5};
  ClockCorrection correction = run.zero();
  correction.knot(1, 1) = -30'000 * kRunS / 2;
  EXPECT_EQ(find_straight_steps(run.samples(), correction, 0, std::vector<double>(3, 0)), 0u);
}

TEST(StraightSteps, AreNotSoughtInDriftsThatAreNoNumbers) {
  const auto set = [](double s) { return s < 410 ? 0 : 1e9; };
  const RareMessages run{{nothing, set, nothing}, 6};
  ClockCorrection correction = run.zero();
  EXPECT_EQ(find_straight_steps(run.samples(), correction, 0, std::vector<double>{0, -1, 0}), 0u);
}

TEST(StraightSteps, LeaveOtherHostsWhereTheyAreAndNoFalseBounds) {
  for (const char* const name : {"jump-20s", "still-20s", "set-back-20s", "migrated-60s", "ntpdate-2s", "jump-2s"})
    for (Scenario scenario : stepped_runs()) {
      if (scenario.name != name) continue;
      SCOPED_TRACE(name);
      scenario.seed = 2;
      const SimulatedRun run{scenario};
      const ClockTrial trial{run, ClockOptions{}};
      for (std::uint32_t h = 0; h < trial.clocks.domains; ++h)
        EXPECT_EQ(trial.correction.steps[h].empty(), h != trial.clocks.domain_of[3]) << h;
      const BoundFigures t1 = bounds(run, trial.clocks, BoundLevel::t1, 2000);
      EXPECT_EQ(t1.outside, 0u);
      EXPECT_GT(t1.points, 4 * t1.uncertified);
    }
}

TEST(StraightSteps, AreSoughtWhereARateIsThatOfNoOscillatorThoughNothingIsReversed) {
  // Messages one way, from a host that was set forth by 3 s: they only seem to take longer.
  Scenario scenario{.name = "one-way", .hosts = 2, .ranks_per_host = 1, .seconds = 800, .iteration_ms = 10'000};
  scenario.pattern = Pattern::one_way;
  scenario.collective_every = 0;
  for (const int host : {0, 1})
    for (const double size_ns : {3e9, -3e9}) {
      scenario.sets = {{host, 246, size_ns}};
      const SimulatedRun run{scenario};
      const ClockTrial trial{run, ClockOptions{}};
      const BoundFigures t1 = bounds(run, trial.clocks, BoundLevel::t1, 2000);
      EXPECT_EQ(t1.outside, 0u) << host << size_ns;
      EXPECT_GT(t1.uncertified, 0u);
      EXPECT_TRUE(std::ranges::any_of(trial.clocks.findings, [](const Finding& one) {
        return one.name == "clock.step" || one.name == "clock.uncertified";
      }));
    }
}

}  // namespace
}  // namespace meridian::test
