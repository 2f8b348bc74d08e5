// SPDX-License-Identifier: Apache-2.0
// fit_clocks() on clocks with known truth.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "clocks/clock_world.hpp"
#include "merger/clocks/fit/fit_clocks.hpp"

namespace meridian {
namespace {

using test::TrueClock;
using test::World;
using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> finding_names(const Clocks& clocks) {
  std::vector<std::string> names;
  for (const Finding& finding : clocks.findings) names.push_back(finding.name);
  return names;
}

TEST(ClockFit, RecoversAKnownOffsetAndDrift) {
  World world{{TrueClock{.offset_ns = 5e9L}, TrueClock{.offset_ns = 1005e9L, .drift = -40e-6L, .ghz = 2.1L}}};
  world.add_anchors();
  world.add_star();
  const auto clocks = world.fit();
  ASSERT_TRUE(clocks) << clocks.error().what;
  EXPECT_LE(world.worst_error_ns(*clocks, 1), 2);
  const ClockSummary& row = clocks->table[1];
  EXPECT_EQ(row.model, "linear");
  EXPECT_NEAR(row.offset_s, -1000, 2e-9);
  EXPECT_NEAR(row.drift_ppm, 40.0016, 1e-3);  // 1 / (1 - 40e-6)
  EXPECT_NEAR(row.frequency_hz, 2.1e9, 2.1e9 * 2e-8);
  EXPECT_NEAR(row.rtt_min_s, 2600e-9, 2e-9);
  EXPECT_EQ(row.exchanges, 200u);
  EXPECT_EQ(row.exchanges_dropped, 20u);
  EXPECT_THAT(clocks->findings, IsEmpty());
}

TEST(ClockFit, StaysWithinAHundredthOfTheLatencyUnderNoise) {
  for (const std::uint64_t seed : {1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u, 9u, 10u}) {
    World world{{TrueClock{}, TrueClock{.offset_ns = -3e9L, .drift = 40e-6L, .first_ticks = 1ULL << 45}}};
    world.random.seed(test::seeded(seed));
    world.jitter_ns = 300;
    world.add_anchors();
    world.add_star();
    const auto clocks = world.fit();
    ASSERT_TRUE(clocks) << clocks.error().what;
    EXPECT_LE(world.worst_error_ns(*clocks, 1), 20) << "seed " << seed;
    EXPECT_LT(clocks->table[1].offset_error_s, 30e-9) << "seed " << seed;
    EXPECT_LT(clocks->table[1].residual_s, 150e-9) << "seed " << seed;
  }
}

TEST(ClockFit, HasAnErrorOfHalfTheAsymmetry) {
  World world{{TrueClock{}, TrueClock{.offset_ns = 7e9L, .drift = 10e-6L}}};
  world.asymmetry_ns = 400;
  world.add_anchors();
  world.add_star();
  const auto clocks = world.fit();
  ASSERT_TRUE(clocks) << clocks.error().what;
  EXPECT_NEAR(static_cast<double>(world.worst_error_ns(*clocks, 1)), 200, 2);
}

TEST(ClockFit, TakesRoundTripsStartedByEitherSide) {
  World world{{TrueClock{}, TrueClock{.offset_ns = 2e9L, .drift = -20e-6L}}};
  world.add_anchors();
  world.add_exchanges(1, 0, AnchorPhase::start);
  world.add_exchanges(0, 1, AnchorPhase::finish);
  const auto clocks = world.fit();
  ASSERT_TRUE(clocks) << clocks.error().what;
  EXPECT_LE(world.worst_error_ns(*clocks, 1), 2);
  EXPECT_EQ(clocks->table[1].exchanges, 200u);
}

TEST(ClockFit, AlternatingDirectionsCancelAnAsymmetry) {
  World world{{TrueClock{}, TrueClock{.offset_ns = 2e9L}}};
  world.asymmetry_ns = 400;
  world.add_anchors();
  for (const auto phase : {AnchorPhase::start, AnchorPhase::finish}) {
    world.add_exchanges(0, 1, phase);
    world.add_exchanges(1, 0, phase);
  }
  const auto clocks = world.fit();
  ASSERT_TRUE(clocks) << clocks.error().what;
  EXPECT_LE(world.worst_error_ns(*clocks, 1), 60);
}

TEST(ClockFit, ComposesMapsThroughIntermediateDomains) {
  World world{{TrueClock{.drift = 30e-6L}, TrueClock{.offset_ns = 400e9L, .drift = -40e-6L},
               TrueClock{.offset_ns = -0.5e9L, .drift = 35e-6L, .ghz = 1.9L, .first_ticks = 1ULL << 45},
               TrueClock{.offset_ns = 900e9L, .drift = -25e-6L}}};
  world.run_ns = 1800e9L;
  world.add_anchors();
  for (const std::size_t host : {0u, 1u, 2u}) {  // a chain 0 - 1 - 2 - 3
    world.add_exchanges(host, host + 1, AnchorPhase::start);
    world.add_exchanges(host, host + 1, AnchorPhase::finish);
  }
  const auto clocks = world.fit();
  ASSERT_TRUE(clocks) << clocks.error().what;
  for (const std::size_t host : {1u, 2u, 3u}) EXPECT_LE(world.worst_error_ns(*clocks, host), 4) << host;
  const double composed = 1e6 * (30e-6 + 25e-6) / (1 - 25e-6);
  EXPECT_NEAR(clocks->table[3].drift_ppm, composed, 1e-4);  // adding the steps' drifts would be 5e-3 off
}

TEST(ClockFit, PrefersTheDirectRoundTripsToALongerPath) {
  World world{{TrueClock{}, TrueClock{}, TrueClock{.offset_ns = 1e9L}}};
  world.add_anchors();
  world.add_star();
  world.add_exchanges(1, 2, AnchorPhase::start);
  world.add_exchanges(1, 2, AnchorPhase::finish);
  const auto clocks = world.fit();
  ASSERT_TRUE(clocks) << clocks.error().what;
  EXPECT_NEAR(clocks->table[2].offset_s, -1, 2e-9);
  EXPECT_EQ(clocks->table[2].exchanges, 200u);
}

TEST(ClockFit, PrefersALongerPathThatMeasuresTheDrift) {
  World world{{TrueClock{}, TrueClock{.drift = 20e-6L}, TrueClock{.offset_ns = 1e9L, .drift = -40e-6L}}};
  world.add_anchors();
  world.add_exchanges(0, 2, AnchorPhase::start);
  for (const auto phase : {AnchorPhase::start, AnchorPhase::finish}) {
    world.add_exchanges(0, 1, phase);
    world.add_exchanges(1, 2, phase);
  }
  const auto clocks = world.fit();
  ASSERT_TRUE(clocks) << clocks.error().what;
  EXPECT_LE(world.worst_error_ns(*clocks, 2), 4);
  EXPECT_THAT(clocks->findings, IsEmpty());
}

TEST(ClockFit, OneRoundTripGivesTheOffset) {
  World world{{TrueClock{}, TrueClock{.offset_ns = 12e9L}}};
  world.trips = 1;
  world.add_anchors();
  world.add_star(false);
  const auto clocks = world.fit();
  ASSERT_TRUE(clocks) << clocks.error().what;
  EXPECT_LE(world.worst_error_ns(*clocks, 1), 1);
  EXPECT_EQ(clocks->table[1].model, "offset");
  EXPECT_EQ(clocks->table[1].drift_ppm, 0);
  EXPECT_EQ(clocks->table[1].residual_s, 0);
}

TEST(ClockFit, AKilledRunIsPlacedByItsFirstRoundTrips) {
  World world{{TrueClock{}, TrueClock{.offset_ns = 3e9L, .drift = 10e-6L}}};
  world.add_anchors(false);
  world.add_star(false);
  const auto clocks = world.fit();
  ASSERT_TRUE(clocks) << clocks.error().what;
  EXPECT_THAT(finding_names(*clocks), ElementsAre("clock.no_final_exchange", "clock.rate_assumed"));
  EXPECT_EQ(clocks->findings[0].detail, "node1");
  EXPECT_EQ(clocks->findings[1].count, 2u);
  EXPECT_LE(std::abs(world.global(*clocks, 1, 1e6L) - world.global(*clocks, 0, 1e6L)), 20);
  EXPECT_NEAR(static_cast<double>(world.worst_error_ns(*clocks, 1)), 10e-6 * 10e9, 200);  // the drift stays
}

TEST(ClockFit, AKilledRankTakesTheRateOfItsDomain) {
  World world{{TrueClock{.ghz = 2.59999L}}};
  world.add_anchors();
  RankMeta killed = world.metas[0];
  killed.rank = 1;
  killed.anchors.resize(1);
  world.metas.push_back(killed);
  world.clocks.push_back(world.clocks[0]);
  const auto clocks = world.fit();
  ASSERT_TRUE(clocks) << clocks.error().what;
  EXPECT_THAT(clocks->findings, IsEmpty());
  EXPECT_EQ(world.worst_error_ns(*clocks, 1), 0);
  EXPECT_NEAR(clocks->table[0].frequency_hz, 2.59999e9, 30);
}

TEST(ClockFit, AnInterruptedAnchorDoesNotSpoilTheRate) {
  World world{{TrueClock{}}};
  for (const auto phase : {AnchorPhase::start, AnchorPhase::finish}) {
    const long double t = phase == AnchorPhase::start ? 0 : world.run_ns;
    world.add_anchor(0, phase, t, 4e5L);
    world.metas[0].anchors.back().monotonic_ns += phase == AnchorPhase::start ? -150'000 : 150'000;
    world.add_anchor(0, phase, t + 1e6L);  // of another rank, say
  }
  const auto clocks = world.fit();
  ASSERT_TRUE(clocks) << clocks.error().what;
  EXPECT_NEAR(clocks->table[0].frequency_hz, 2.6e9, 30);
}

TEST(ClockFit, ATooShortRunUsesTheNominalRate) {
  World world{{TrueClock{.ghz = 2.6L}}};
  world.run_ns = 1e5L;
  world.add_anchors();
  const auto clocks = world.fit();
  ASSERT_TRUE(clocks) << clocks.error().what;
  EXPECT_THAT(finding_names(*clocks), ElementsAre("clock.rate_assumed"));
  EXPECT_DOUBLE_EQ(clocks->table[0].frequency_hz, 2.6e9);
}

TEST(ClockFit, TicksOfAMonotonicClockAreNanoseconds) {
  World world{{TrueClock{.ghz = 1}, TrueClock{.offset_ns = 8e9L, .ghz = 1}}};
  world.metas[0].clock = ClockKind::monotonic;
  world.metas[1].clock = ClockKind::monotonic_raw;
  world.add_anchors(false);
  world.add_star();
  const auto clocks = world.fit();
  ASSERT_TRUE(clocks) << clocks.error().what;
  EXPECT_LE(world.worst_error_ns(*clocks, 1), 2);
  EXPECT_EQ(clocks->table[0].frequency_hz, 1e9);
  EXPECT_EQ(clocks->table[0].clock, "monotonic");
  EXPECT_EQ(clocks->table[1].clock, "monotonic_raw");
  EXPECT_THAT(clocks->findings, IsEmpty());
}

TEST(ClockFit, HostsWithoutRoundTripsAreFlaggedAndPlacedByRealtime) {
  World world{{TrueClock{}, TrueClock{.offset_ns = 50e9L, .realtime_error_ns = 2e6L}}};
  world.add_anchors();
  const auto clocks = world.fit();
  ASSERT_TRUE(clocks) << clocks.error().what;
  EXPECT_THAT(finding_names(*clocks), ElementsAre("clock.unsynchronised"));
  EXPECT_EQ(clocks->findings[0].severity, Severity::error);
  EXPECT_EQ(clocks->table[1].model, "realtime");
  EXPECT_NEAR(static_cast<double>(world.worst_error_ns(*clocks, 1)), 2e6, 200);
}

TEST(ClockFit, APartOfTheGraphOfItsOwnKeepsItsInnerOrder) {
  World world{{TrueClock{}, TrueClock{.offset_ns = 9e9L, .realtime_error_ns = 5e6L},
               TrueClock{.offset_ns = 1e9L, .drift = 20e-6L, .realtime_error_ns = -8e6L}}};
  world.add_anchors();
  world.add_exchanges(1, 2, AnchorPhase::start);
  world.add_exchanges(1, 2, AnchorPhase::finish);
  const auto clocks = world.fit();
  ASSERT_TRUE(clocks) << clocks.error().what;
  EXPECT_EQ(clocks->table[1].model, "realtime");
  EXPECT_EQ(clocks->table[2].model, "linear");
  EXPECT_EQ(clocks->findings[0].count, 2u);
  for (const long double t : {0.0L, 5e9L, 10e9L})
    EXPECT_LE(std::abs(world.global(*clocks, 2, t) - world.global(*clocks, 1, t)), 2);
}

TEST(ClockFit, RoundTripsWithAMissingRankAreLeftOut) {
  World world{{TrueClock{}, TrueClock{.offset_ns = 1e9L}}};
  world.add_anchors();
  world.add_star();
  world.metas.pop_back();
  const auto clocks = world.fit();
  ASSERT_TRUE(clocks) << clocks.error().what;
  ASSERT_EQ(clocks->table.size(), 1u);
  EXPECT_EQ(clocks->table[0].exchanges, 0u);
}

TEST(ClockFit, RoundTripsThatContradictThemselvesAreDropped) {
  World world{{TrueClock{}, TrueClock{.offset_ns = 1e9L}}};
  world.add_anchors();
  world.add_star();
  ExchangeRow broken = world.metas[0].exchanges.front();
  std::swap(broken.sent_ticks, broken.returned_ticks);
  world.metas[0].exchanges.push_back(broken);
  broken = world.metas[0].exchanges.front();
  broken.replied_ticks += 1'000'000'000;
  world.metas[0].exchanges.push_back(broken);
  const auto clocks = world.fit();
  ASSERT_TRUE(clocks) << clocks.error().what;
  EXPECT_LE(world.worst_error_ns(*clocks, 1), 2);
  EXPECT_EQ(clocks->table[1].exchanges, 202u);
  EXPECT_EQ(clocks->table[1].exchanges_dropped, 22u);
}

TEST(ClockFit, TheOffsetModelLeavesTheDrift) {
  World world{{TrueClock{}, TrueClock{.offset_ns = 1e9L, .drift = 10e-6L}}};
  world.add_anchors();
  world.add_star();
  const auto clocks = world.fit(ClockModel::offset);
  ASSERT_TRUE(clocks) << clocks.error().what;
  EXPECT_EQ(clocks->table[1].model, "offset");
  EXPECT_EQ(clocks->table[1].exchanges, 100u);
  EXPECT_NEAR(static_cast<double>(world.worst_error_ns(*clocks, 1)), 10e-6 * 10e9, 200);
  EXPECT_THAT(clocks->findings, IsEmpty());
}

TEST(ClockFit, WithoutAModelEveryDomainIsPlacedByItsRealtimeClock) {
  World world{{TrueClock{}, TrueClock{.offset_ns = 1e9L, .realtime_error_ns = -3e6L}}};
  world.add_anchors();
  world.add_star();
  const auto clocks = world.fit(ClockModel::none);
  ASSERT_TRUE(clocks) << clocks.error().what;
  EXPECT_EQ(clocks->table[1].model, "none");
  EXPECT_NEAR(static_cast<double>(world.worst_error_ns(*clocks, 1)), 3e6, 200);
  EXPECT_THAT(clocks->findings, IsEmpty());
}

TEST(ClockFit, RanksOfOneDomainShareOneMapWhateverTheirHost) {
  World world{{TrueClock{}}};
  world.add_anchors();
  for (const std::int32_t rank : {1, 2}) {
    world.metas.push_back(world.metas[0]);
    world.metas.back().rank = rank;
    world.clocks.push_back(world.clocks[0]);
  }
  world.metas[2].hostname = "container";
  const auto clocks = world.fit();
  ASSERT_TRUE(clocks) << clocks.error().what;
  ASSERT_EQ(clocks->table.size(), 2u);
  EXPECT_EQ(clocks->table[0].model, "reference");
  EXPECT_THAT(clocks->table[0].ranks, ElementsAre(0, 1));
  EXPECT_EQ(clocks->table[1].model, "shared");
  EXPECT_EQ(clocks->table[1].host, "container");
  EXPECT_EQ(clocks->table[1].domain, 0u);
  EXPECT_THAT(clocks->table[1].ranks, ElementsAre(2));
  EXPECT_EQ(world.worst_error_ns(*clocks, 2), 0);
}

TEST(ClockFit, NothingHappensBeforeTimeZero) {
  World world{{TrueClock{.offset_ns = 10e9L}, TrueClock{.offset_ns = 700e9L}}};
  world.add_anchors();
  world.add_star();
  world.metas[0].threads.push_back({0, 1, world.clocks[0].ticks(-2e9L), 0});
  world.metas[1].segments.push_back({.thread = 0, .first_ticks = world.clocks[1].ticks(-3e9L)});
  const auto clocks = world.fit();
  ASSERT_TRUE(clocks) << clocks.error().what;
  EXPECT_EQ(world.global(*clocks, 1, -3e9L), 0);
  EXPECT_NEAR(static_cast<double>(world.global(*clocks, 0, -3e9L)), 0, 60);
  EXPECT_NEAR(static_cast<double>(clocks->origin_realtime_ns - world.clocks[0].realtime(-3e9L)), 0, 300);
}

TEST(ClockFit, WorksWithCountersCloseToTheirLargestValues) {
  World world{{TrueClock{.first_ticks = (1ULL << 63) - 1'000'000'000},  // passes 2^63 in the run
               TrueClock{.offset_ns = 4e9L, .drift = 5e-6L, .first_ticks = UINT64_MAX - 60'000'000'000}}};
  world.add_anchors();
  world.add_star();
  const auto clocks = world.fit();
  ASSERT_TRUE(clocks) << clocks.error().what;
  EXPECT_LE(world.worst_error_ns(*clocks, 1), 2);
  EXPECT_LE(std::abs(world.global(*clocks, 0, 10e9L) - world.global(*clocks, 0, 0) - 10'000'000'000), 60);
}

TEST(ClockFit, ARankThatDiedBeforeItsFirstAnchorStillGetsAMap) {
  World world{{TrueClock{}, TrueClock{.offset_ns = 5e9L}}};
  world.add_anchor(0, AnchorPhase::start, 0);
  world.add_anchor(0, AnchorPhase::finish, world.run_ns);
  world.metas[1].threads.push_back({0, 7, world.clocks[1].ticks(1e6L), 0});
  const auto clocks = world.fit();
  ASSERT_TRUE(clocks) << clocks.error().what;
  EXPECT_EQ(world.global(*clocks, 1, 1e6L), 0);
  EXPECT_THAT(finding_names(*clocks), ElementsAre("clock.unsynchronised", "clock.rate_assumed"));
}

TEST(ClockFit, NoRanksAreAnError) {
  const auto clocks = fit_clocks({}, ClockModel::linear);
  ASSERT_FALSE(clocks);
  EXPECT_EQ(clocks.error().code, Errc::invalid_argument);
  EXPECT_EQ(clocks.error().what, "cannot fit clocks: there are no ranks");
}

}  // namespace
}  // namespace meridian
