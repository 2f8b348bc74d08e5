// SPDX-License-Identifier: Apache-2.0
// Published measurements of clocks, in a short form; clock_cases prints all of them.

#include "published_cases.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace meridian::test {
namespace {

constexpr int kRepetitions = 3;

/// Five exchanges at T = 0, 1, 2, 3, 4 s with D = 10, 13, 15, 19, 20 ns, that took 2 (60 + 10 T) ns.
/// n = 5, ST = 10, ST2 = 30, SD = 77, STD = 180, Delta = 50: X = 2.6, D0 = 10.2, squared residuals 1.6.
std::vector<ExchangeOffset> five() {
  std::vector<ExchangeOffset> trips;
  for (const long double d : {10.0L, 13.0L, 15.0L, 19.0L, 20.0L}) {
    const auto t = static_cast<long double>(trips.size());
    trips.push_back({t * 1e9L, d, 2 * (60 + 10 * t), 0});
  }
  return trips;
}

TEST(PublishedCases, FitOffsetsAsClementDoes) {
  const OffsetLine line = fit_offsets(five());
  EXPECT_NEAR(line.x, 2.6e-9, 1e-22);
  EXPECT_NEAR(line.d0_ns, 10.2, 1e-12);
  EXPECT_NEAR(line.er_ns, std::sqrt(1.6 / 3), 1e-12);
  EXPECT_NEAR(line.ex, std::sqrt(1.6 / 3) * std::sqrt(5 / 50.) * 1e-9, 1e-21);
  EXPECT_NEAR(line.ed0_ns, std::sqrt(1.6 / 3) * std::sqrt(30 / 50.), 1e-12);
  EXPECT_NEAR(line.mean_half_ns, 80, 1e-12);
  EXPECT_EQ(longest_half_ns(five()), 100);
}

TEST(PublishedCases, KeepRoundTripsAroundTheMeanOrTheQuickest) {
  // Half round trips 60, 70, 80, 90, 100: mean 80, standard deviation 15.8.
  EXPECT_EQ(within(five(), 1.3).size(), 5u);
  EXPECT_EQ(within(five(), 1.2).size(), 3u);
  EXPECT_EQ(quickest(five(), .8).size(), 4u);
  EXPECT_EQ(longest_half_ns(quickest(five(), .8)), 90);
}

TEST(PublishedCases, DriftsAddedAlongAPathAreOffFromFiveHopsOn) {
  for (const std::size_t hop : {0u, 1u, 2u, 3u}) {
    const PathDrift drift = path_drift(hop);
    EXPECT_LT(std::abs(drift.composed - drift.added), 1e-9) << hop + 1;
  }
  for (const std::size_t hop : {4u, 5u, 6u}) {
    const PathDrift drift = path_drift(hop);
    EXPECT_NEAR(drift.composed - drift.added, -2.75e-8, 5e-10) << hop + 1;
  }
  const PathDrift five_hops = path_drift(4);
  EXPECT_NEAR((five_hops.added - five_hops.composed) * kHopSeconds, 49e-6, 1e-6);
}

/// His links, without wander and jitter.
Case ideal_chain() {
  constexpr Delay kExact{.jitter_s = 0, .slow_share = 0};
  Case chain{kHops.size() + 1, kHopSeconds, 1};
  chain.add_clock(0, 0);
  for (std::size_t h = 0; h < kHops.size(); ++h) chain.add_clock(path_drift(h).composed, 0);
  for (std::size_t h = 0; h < kHops.size(); ++h) chain.ping_every(h, h + 1, 10, {kExact, kExact});
  return chain;
}

TEST(PublishedCases, ModelsComposeMapsOverSevenHops) {
  const Case chain = ideal_chain();
  for (const ClockModel model : {ClockModel::linear, ClockModel::regression, ClockModel::meridian}) {
    const Clocks clocks = chain.fit(model);
    ASSERT_EQ(clocks.table.size(), kHops.size() + 1);
    for (std::size_t h = 0; h < kHops.size(); ++h) {
      EXPECT_LT(chain.worst_ns(clocks, h + 1), 8) << kClockModelNames[static_cast<std::size_t>(model)] << h + 1;
      EXPECT_NEAR(clocks.table[h + 1].drift_ppm, 1e6 * (1 / (1 + path_drift(h).composed) - 1), 1e-5) << h + 1;
    }
  }
}

TEST(PublishedCases, TenMinutesLeaveTheResidualThatWasMeasured) {
  const CaseFigures f = two_hosts({.drift = kPeriodDrift}, kRepetitions);
  EXPECT_GT(f.line.er_ns, 800);
  EXPECT_LT(f.line.er_ns, 1300);
  EXPECT_GT(f.unfiltered.er_ns, f.line.er_ns);
  EXPECT_EQ(f.checked.outside, 0u);
  EXPECT_EQ(f.checked.points, 2u * 501 * kRepetitions);
  EXPECT_LT(f.t1_ns, 50'000);
}

TEST(PublishedCases, OverHoursClocksThatBendAreCloserThanALine) {
  for (const double period_s : {1., 10., 60.}) {
    const CaseFigures f =
        two_hosts({.seconds = 5 * 3600, .period_s = period_s, .drift = 1.13e-4, .seed = 100}, kRepetitions);
    EXPECT_GT(f.line.er_ns, 10'000) << period_s;
    EXPECT_LT(f.fit_ns, f.line_ns / 3) << period_s;
    EXPECT_LT(f.fit_ns, f.linear_ns / 3) << period_s;
    EXPECT_LT(f.fit_ns, f.regression_ns / 3) << period_s;
    EXPECT_EQ(f.checked.outside, 0u) << period_s;
    EXPECT_EQ(f.checked.points, 2u * 501 * kRepetitions) << period_s;
  }
}

TEST(PublishedCases, ARoundTripAMinuteStillCertifies) {
  const CaseFigures f = two_hosts({.period_s = 60, .drift = kPeriodDrift}, kRepetitions);
  EXPECT_LT(f.fit_ns, 3'000);
  EXPECT_EQ(f.checked.outside, 0u);
  EXPECT_EQ(f.checked.points, 2u * 501 * kRepetitions);
}

TEST(PublishedCases, AResidualIsNeverLargerThanEveryHalfRoundTrip) {
  for (const PublishedLoad& load : kLoads) {
    const CaseFigures f =
        two_hosts({.seconds = kLoadSeconds, .drift = 1.13e-4, .link = loaded(load.one_wait_us, false)}, 1);
    EXPECT_LT(f.unfiltered.er_ns, f.longest_half_ns) << load.name;
    EXPECT_EQ(f.checked.outside, 0u) << load.name;
    EXPECT_GT(f.checked.points, 0u) << load.name;
  }
}

TEST(PublishedCases, ALoadOnOneHostDoesNotPullTheClocksApart) {
  const PublishedLoad& bzip2 = kLoads[0];
  const CaseFigures f =
      two_hosts({.seconds = kLoadSeconds, .drift = 1.13e-4, .link = loaded(bzip2.one_wait_us, false)}, kRepetitions);
  EXPECT_NEAR(f.line.er_ns, bzip2.one_us * 1e3, .1 * bzip2.one_us * 1e3);
  EXPECT_GT(f.line_ns, 15'000);  // its residual does not distinguish this from noise
  EXPECT_LT(f.fit_ns, f.line_ns / 5);
}

TEST(PublishedCases, BoundsHoldOverSevenHopsWhoseLinksDifferInBothDirections) {
  const auto figures = hops(true, 1);
  for (std::size_t h = 0; h < kHops.size(); ++h) {
    EXPECT_EQ(figures[h].checked.outside, 0u) << h + 1;
    EXPECT_EQ(figures[h].checked.points, 2u * 501) << h + 1;
    EXPECT_NEAR(figures[h].d0_ns, kHops[h].d0_us * 1e3, 3e3) << h + 1;
  }
}

TEST(PublishedCases, ALineFromOneEarlyBatchDivergesUnlikeOneWithLaterExchanges) {
  const auto figures = cone(5);
  const ConeFigures &early = figures.front(), &late = figures.back();
  EXPECT_GT(late.interval_ns, 2 * early.interval_ns);
  EXPECT_GT(late.early_ns, 20'000);
  EXPECT_LT(late.epochs_ns, 1'000);
  EXPECT_EQ(figures[0].checked.outside, 0u);
  EXPECT_GT(figures[0].checked.points, 2u * 501 * 5);
}

TEST(PublishedCases, HalfOfAnAsymmetryStaysWithEveryModel) {
  const BatchFigures f = batches(kBatches.back(), 5);
  for (const double off_ns : {f.line_ns, f.linear_ns, f.regression_ns, f.fit_ns}) EXPECT_NEAR(off_ns, 10e3, 1.5e3);
  EXPECT_EQ(f.checked.outside, 0u);
  EXPECT_GT(f.t1_ns, 10e3);
}

}  // namespace
}  // namespace meridian::test
