// SPDX-License-Identifier: Apache-2.0
#include "published_cases.hpp"

#include <cmath>

namespace meridian::test {
namespace {

constexpr double kNs = 1e9, kUs = 1e-6;
constexpr double kLoadedShare = .5;
constexpr double kEpochSpacing = .3e-3, kEpochS = 10;

Case two(double seconds, double drift, std::uint64_t seed) {
  Case one{2, seconds, seed};
  one.add_clock(0);
  one.add_clock(drift);
  return one;
}

/// The tracer's default: a hundred exchanges at either end, ten every ten seconds.
void record(Case& one, double seconds, const Link& link) {
  one.ping_batch(0, 1, 0, AnchorPhase::start, 100, kEpochSpacing, link);
  for (double t = kEpochS; t < seconds - 1; t += kEpochS)
    one.ping_batch(0, 1, t, AnchorPhase::epoch, 10, kEpochSpacing, link);
  one.ping_batch(0, 1, seconds - 100 * kEpochSpacing, AnchorPhase::finish, 100, kEpochSpacing, link);
}

}  // namespace

CaseFigures two_hosts(const TwoHosts& set_up, int repetitions) {
  CaseFigures mean;
  const double n = repetitions;
  for (int i = 0; i < repetitions; ++i) {
    Case one = two(set_up.seconds, set_up.drift, set_up.seed + static_cast<std::uint64_t>(i));
    if (set_up.as_recorded)
      record(one, set_up.seconds, set_up.link);
    else
      one.ping_every(0, 1, set_up.period_s, set_up.link);
    const std::vector<ExchangeOffset> trips = one.trips(0, 1);
    const OffsetLine line = fit_offsets(within(trips, kNinety)), all = fit_offsets(trips);
    const Clocks clocks = one.fit(ClockModel::meridian);
    const CaseBounds bounds = one.bounds(clocks, 1);
    mean.line.er_ns += line.er_ns / n;
    mean.line.ex += line.ex / n;
    mean.line.ed0_ns += line.ed0_ns / n;
    mean.line.mean_half_ns += line.mean_half_ns / n;
    mean.unfiltered.mean_half_ns += all.mean_half_ns / n;
    mean.unfiltered.er_ns += all.er_ns / n;
    mean.longest_half_ns += longest_half_ns(trips) / n;
    mean.line_ns += one.worst_ns(line, 0, 1) / n;
    mean.linear_ns += one.worst_ns(one.fit(ClockModel::linear), 1) / n;
    mean.regression_ns += one.worst_ns(one.fit(ClockModel::regression), 1) / n;
    mean.fit_ns += one.worst_ns(clocks, 1) / n;
    mean.t1_ns += bounds.t1_ns / n;
    mean.t2_ns += bounds.t2_ns / n;
    mean.checked += bounds.checked;
  }
  return mean;
}

Link loaded(double wait_us, bool is_both) {
  const Delay idle, late{.wait_share = kLoadedShare, .wait_s = wait_us * kUs};
  return {late, is_both ? late : idle};
}

std::array<HopFigures, kHops.size()> hops(bool with_asymmetry, int repetitions) {
  std::array<HopFigures, kHops.size()> mean;
  const double n = repetitions;
  for (int i = 0; i < repetitions; ++i) {
    Case links{kHops.size() + 1, kHopSeconds, 1000 + static_cast<std::uint64_t>(i)};
    links.add_clock(0, kHopWalk);
    for (std::size_t h = 0; h < kHops.size(); ++h) links.add_clock(path_drift(h).composed, kHopWalk);
    Case direct = links;
    for (std::size_t h = 0; h < kHops.size(); ++h) {
      const Delay back{.jitter_s = kHops[h].jitter_us * kUs};
      Delay forth = back;
      if (with_asymmetry) forth.least_s += kHops[h].asymmetry_us * kUs;
      links.ping_every(h, h + 1, 1, {forth, back});
      direct.ping_every(0, h + 1, 1, {kDirect, kDirect});
    }
    const Clocks composed = links.fit(ClockModel::regression), clocks = links.fit(ClockModel::meridian);
    const Clocks straight = direct.fit(ClockModel::regression);
    double summed = 0;
    for (std::size_t h = 0; h < kHops.size(); ++h) {
      HopFigures& one = mean[h];
      const CaseBounds bounds = links.bounds(clocks, h + 1);
      summed += fit_offsets(within(links.trips(h, h + 1), kNinety)).er_ns;
      one.direct_er_ns += fit_offsets(within(direct.trips(0, h + 1), kNinety)).er_ns / n;
      one.summed_er_ns += summed / n;
      one.d0_ns += std::abs(direct.error_ns(straight, h + 1, 0) - links.error_ns(composed, h + 1, 0)) / n;
      one.regression_ns += links.worst_ns(composed, h + 1) / n;
      one.fit_ns += links.worst_ns(clocks, h + 1) / n;
      one.t1_ns += bounds.t1_ns / n;
      one.checked += bounds.checked;
    }
  }
  return mean;
}

PathDrift path_drift(std::size_t hop) {
  long double product = 1, sum = 0;
  for (std::size_t h = 0; h <= hop; ++h) {
    product *= 1 + static_cast<long double>(kHops[h].drift);
    sum += static_cast<long double>(kHops[h].drift);
  }
  return {static_cast<double>(product - 1), static_cast<double>(sum)};
}

namespace {

// Ottogalli's round trips: 239 us, and 256 us with the slow tenth of them.
constexpr Delay kOttogalli{.least_s = 111e-6, .jitter_s = 8.5e-6, .slow_share = .05, .slow_s = 124e-6};
constexpr double kOttogalliDrift = 9e-6, kNinetyInterval = 2 * 1.645;
constexpr int kTrips = 200;
constexpr double kConeSpacing = 18.6e-3, kBatchSpacing = .75e-3;
constexpr double kLastBatchS = .3;  // before the end

}  // namespace

std::array<ConeFigures, kConeAfter.size()> cone(int repetitions) {
  const Link link{kOttogalli, kOttogalli};
  std::array<ConeFigures, kConeAfter.size()> result;
  std::array<std::array<std::vector<double>, 9>, kConeAfter.size()> all;
  for (int i = 0; i < repetitions; ++i) {
    Case early = two(kConeSeconds, kOttogalliDrift, 2000 + static_cast<std::uint64_t>(i));
    early.ping_batch(0, 1, 0, AnchorPhase::start, kTrips, kConeSpacing, link);
    Case ends = early;
    ends.ping_batch(0, 1, kConeSeconds - kLastBatchS, AnchorPhase::finish, kTrips, kBatchSpacing, link);
    Case epochs = ends;
    for (double t = kEpochS; t < kConeSeconds - 1; t += kEpochS)
      epochs.ping_batch(0, 1, t, AnchorPhase::epoch, 10, kEpochSpacing, link);
    const OffsetLine line = fit_offsets(early.trips(0, 1));
    const Clocks alone = early.fit(ClockModel::meridian), both = ends.fit(ClockModel::meridian);
    const Clocks many = epochs.fit(ClockModel::meridian);
    for (std::size_t k = 0; k < kConeAfter.size(); ++k) {
      const double t = kConeAfter[k];
      const ExchangeOffset truth = early.truth(0, 1, t);
      const std::array<double, 9> values{kNinetyInterval * (line.er_ns + line.ex * t * kNs),
                                         std::abs(line.at_ns(truth.at_ns) - static_cast<double>(truth.offset_ns)),
                                         std::abs(early.error_ns(alone, 1, t)),
                                         early.half_width_ns(alone, 1, t, BoundLevel::t1),
                                         std::abs(ends.error_ns(both, 1, t)),
                                         ends.half_width_ns(both, 1, t, BoundLevel::t1),
                                         std::abs(epochs.error_ns(many, 1, t)),
                                         epochs.half_width_ns(many, 1, t, BoundLevel::t1),
                                         epochs.half_width_ns(many, 1, t, BoundLevel::t2)};
      for (std::size_t v = 0; v < values.size(); ++v) all[k][v].push_back(values[v]);
    }
    result[0].checked += early.bounds(alone, 1).checked;
    result[0].checked += ends.bounds(both, 1).checked;
    result[0].checked += epochs.bounds(many, 1).checked;
  }
  for (std::size_t k = 0; k < kConeAfter.size(); ++k) {
    std::array<double, 9> m{};
    for (std::size_t v = 0; v < m.size(); ++v) m[v] = median(all[k][v]);
    result[k] = {m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[8], result[k].checked};
  }
  return result;
}

BatchFigures batches(const PublishedBatches& set_up, int repetitions) {
  Link link{kOttogalli, kOttogalli};
  link.forth.least_s += set_up.asymmetry_us * kUs;
  std::array<std::vector<double>, 5> all;
  BatchFigures result;
  for (int i = 0; i < repetitions; ++i) {
    Case one = two(kConeSeconds, kOttogalliDrift, 3000 + static_cast<std::uint64_t>(i));
    one.ping_batch(0, 1, 0, AnchorPhase::start, kTrips, kBatchSpacing, link);
    std::vector<ExchangeOffset> kept = quickest(one.trips(0, 1), set_up.kept);
    if (set_up.has_end) {
      one.ping_batch(0, 1, kConeSeconds - kLastBatchS, AnchorPhase::finish, kTrips, kBatchSpacing, link);
      const std::vector<ExchangeOffset> both = one.trips(0, 1);
      const std::vector<ExchangeOffset> last = quickest({both.end() - kTrips, both.end()}, set_up.kept);
      kept.insert(kept.end(), last.begin(), last.end());
    }
    const OffsetLine line = fit_offsets(kept);
    const Clocks clocks = one.fit(ClockModel::meridian);
    const CaseBounds bounds = one.bounds(clocks, 1);
    result.checked += bounds.checked;
    const std::array<double, 5> values{one.worst_ns(line, 0, 1), one.worst_ns(one.fit(ClockModel::linear), 1),
                                       one.worst_ns(one.fit(ClockModel::regression), 1), one.worst_ns(clocks, 1),
                                       bounds.t1_ns};
    for (std::size_t v = 0; v < values.size(); ++v) all[v].push_back(values[v]);
  }
  result.line_ns = median(all[0]);
  result.linear_ns = median(all[1]);
  result.regression_ns = median(all[2]);
  result.fit_ns = median(all[3]);
  result.t1_ns = median(all[4]);
  return result;
}

}  // namespace meridian::test
