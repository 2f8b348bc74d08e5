// SPDX-License-Identifier: Apache-2.0
// Bounds and errors if messages are rare, late, one way, or not recorded to the end.

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "clock_simulator.hpp"

namespace meridian::test {
namespace {

constexpr int kComparedMoments = 1000;

struct Case {
  Pattern pattern{};
  int only_every = 1;  // iterations of 20 ms
  Drift drift{};
  int collective_every = 0;
  bool has_start = true, has_finish = true;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const Pattern pattern : {Pattern::ring, Pattern::random, Pattern::one_way, Pattern::torus})
    for (const int only_every : {1, 10, 100, 1000})
      for (const Drift drift : {Drift::linear, Drift::thermal})
        for (const int collective_every : {0, 50})
          for (const bool has_start : {true, false})
            for (const bool has_finish : {true, false})
              if (has_start || has_finish)
                all.push_back({pattern, only_every, drift, collective_every, has_start, has_finish});
  return all;
}

class RareExchangesOf : public testing::TestWithParam<int> {};  // hosts

TEST_P(RareExchangesOf, LeaveNoFalseBound) {
  std::uint64_t seed = 0, points = 0, certified = 0;
  for (const Case& one : cases()) {
    const Scenario scenario{.name = "rare",
                            .hosts = GetParam(),
                            .seconds = one.only_every == 1000 ? 100.0 : 30.0,
                            .drift = one.drift,
                            .pattern = one.pattern,
                            .only_every = one.only_every,
                            .collective_every = one.collective_every,
                            .has_finish = one.has_finish,
                            .has_start = one.has_start,
                            .seed = 1 + seed++ % 7};
    const SimulatedRun run{scenario};
    const ClockTrial trial{run, ClockOptions{}};
    for (const BoundLevel level : {BoundLevel::t1, BoundLevel::t2}) {
      const BoundFigures figures = bounds(run, trial.clocks, level, kComparedMoments);
      EXPECT_EQ(figures.outside, 0u) << "pattern " << static_cast<int>(one.pattern) << ", every " << one.only_every
                                     << ", drift " << static_cast<int>(one.drift) << ", collectives "
                                     << one.collective_every << ", start " << one.has_start << ", finish "
                                     << one.has_finish << ", seed " << scenario.seed;
      points += figures.points;
      certified += figures.points - figures.uncertified;
    }
  }
  EXPECT_GT(certified, points / 2);
}

INSTANTIATE_TEST_SUITE_P(Hosts, RareExchangesOf, testing::Values(2, 3, 12));

TEST(RareExchanges, LeaveClocksThatAreLinesNearTheirLines) {
  for (const int hosts : {2, 5, 12})
    for (const int only_every : {10, 100, 250}) {
      const Scenario scenario{.name = "rare",
                              .hosts = hosts,
                              .seconds = 60,
                              .drift = Drift::linear,
                              .only_every = only_every,
                              .collective_every = 0};
      const SimulatedRun run{scenario};
      const ClockTrial trial{run, ClockOptions{}};
      EXPECT_LE(errors(run, trial.clocks).p99, 1) << hosts << " hosts, every " << only_every;
      EXPECT_EQ(trial.reversed, 0u);
    }
}

/// A program that reads its input for a while: the exchanges of MPI_Init are far before the first message.
TEST(RareExchanges, AtTheStartCountWhereTheFirstMessageComesMuchLater) {
  constexpr double kQuietS = 20;
  for (const int hosts : {2, 4})
    for (const bool has_finish : {true, false})
      for (const Drift drift : {Drift::linear, Drift::thermal}) {
        const Scenario scenario{
            .name = "quiet", .hosts = hosts, .seconds = 60, .drift = drift, .has_finish = has_finish};
        SimulatedRun run{scenario};
        const auto is_early = [&](std::int32_t rank, std::int64_t ticks) {
          const SimulatedClock& clock = run.clocks[static_cast<std::size_t>(run.host_of(rank))];
          return ticks < static_cast<std::int64_t>(clock.ticks(run.begin_s + kQuietS));
        };
        std::erase_if(run.messages, [&](const MatchedMessage& message) {
          return is_early(message.send.rank, message.send_enter_ns);
        });
        std::erase_if(run.collectives, [&](const std::vector<CollectivePart>& parts) {
          return is_early(parts.front().start.rank, parts.front().enter_ns);
        });
        const ClockTrial trial{run, ClockOptions{}};
        EXPECT_LE(errors(run, trial.clocks).max, drift == Drift::linear ? 0.2 : 3)
            << hosts << " hosts, finish " << has_finish << ", drift " << static_cast<int>(drift);
        for (const BoundLevel level : {BoundLevel::t1, BoundLevel::t2})
          EXPECT_EQ(bounds(run, trial.clocks, level, kComparedMoments).outside, 0u);
      }
}

}  // namespace
}  // namespace meridian::test
