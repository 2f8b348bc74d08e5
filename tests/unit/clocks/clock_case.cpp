// SPDX-License-Identifier: Apache-2.0
#include "clock_case.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "merger/clocks/clock_refine.hpp"
#include "merger/clocks/fit/fit_clocks.hpp"
#include "merger/clocks/samples/clock_observer.hpp"
#include "random_numbers.hpp"

namespace meridian::test {
namespace {

constexpr double kNs = 1e9;
constexpr double kHoldS = 1e-6;  // from a question to its answer
constexpr int kMoments = 500;    // at which corrected clocks are compared with the truth
constexpr std::int64_t kBeganNs = 1'700'000'000'000'000'000;

/// From 0.5 % to 99.5 % of the run.
double moment(int i, double seconds) { return (.005 + .99 * i / kMoments) * seconds; }

}  // namespace

WanderingClock::WanderingClock(double skew, double walk, double seconds, std::mt19937_64& random)
    : offset_s_{100 + 100 * unit(random)}, skew_{skew}, wander_s_{0} {
  double rate = 0;
  for (double t = 0; t < seconds + 2; ++t) {
    rate += walk * gauss(random);
    wander_s_.push_back(wander_s_.back() + rate);
  }
}

std::uint64_t WanderingClock::ticks(double t) const {
  const auto i = std::min(static_cast<std::size_t>(std::max(0.0, t)), wander_s_.size() - 2);
  const double share = t - static_cast<double>(i), wander = wander_s_[i] * (1 - share) + wander_s_[i + 1] * share;
  return static_cast<std::uint64_t>(std::llround((offset_s_ + t + (t * skew_ + wander)) * kNs));
}

double Delay::sample(std::mt19937_64& random) const {
  double delay = least_s + exponential(random, jitter_s);
  if (unit(random) < slow_share) delay += exponential(random, slow_s);
  if (unit(random) < wait_share) delay += wait_s * unit(random);
  return delay;
}

Case::Case(std::size_t hosts, double seconds, std::uint64_t seed) : seconds_{seconds}, random_{seed} {
  for (std::size_t h = 0; h < hosts; ++h) {
    RankMeta& meta = metas_.emplace_back();
    meta.rank = static_cast<std::int32_t>(h);
    meta.hostname = "host" + std::to_string(h);
    meta.clock = ClockKind::monotonic_raw;
    meta.domain = 1 + h;
  }
}

void Case::add_clock(double skew, double walk) {
  clocks_.emplace_back(skew, walk, seconds_, random_);
  add_anchor(clocks_.size() - 1, 0, AnchorPhase::start);
  add_anchor(clocks_.size() - 1, seconds_, AnchorPhase::finish);
}

void Case::add_anchor(std::size_t host, double t, AnchorPhase phase) {
  const std::uint64_t ticks = clocks_[host].ticks(t);
  metas_[host].anchors.push_back(
      {phase, ticks, ticks, static_cast<std::int64_t>(ticks), kBeganNs + std::llround(t * kNs)});
}

void Case::exchange(std::size_t a, std::size_t b, double t, AnchorPhase phase, const Link& link) {
  const double received = t + link.forth.sample(random_), replied = received + kHoldS;
  const double returned = replied + link.back.sample(random_);
  metas_[a].exchanges.push_back({static_cast<std::int32_t>(b), phase, clocks_[a].ticks(t), clocks_[b].ticks(received),
                                 clocks_[b].ticks(replied), clocks_[a].ticks(returned)});
}

void Case::ping_every(std::size_t a, std::size_t b, double period_s, const Link& link) {
  const auto last = static_cast<int>(seconds_ / period_s + 1e-9);
  for (int i = 0; i <= last; ++i) {
    const double share = static_cast<double>(i) / last;
    const AnchorPhase phase = share < .02 ? AnchorPhase::start : share > .98 ? AnchorPhase::finish : AnchorPhase::epoch;
    exchange(a, b, i * period_s, phase, link);
  }
}

void Case::ping_batch(std::size_t a, std::size_t b, double t, AnchorPhase phase, int trips, double spacing_s,
                      const Link& link) {
  for (int i = 0; i < trips; ++i) exchange(a, b, t + i * spacing_s, phase, link);
}

std::vector<const RankMeta*> Case::meta_pointers() const {
  std::vector<const RankMeta*> pointers;
  for (const RankMeta& meta : metas_) pointers.push_back(&meta);
  return pointers;
}

Clocks Case::fit(ClockModel model) const {
  const std::vector<const RankMeta*> metas = meta_pointers();
  ClockOptions options{model};
  options.reference = "0";
  Clocks first = *fit_clocks(metas, options);
  if (!bends(model)) return first;
  ClockObserver observer{metas, first};
  return refine_clocks(metas, first, observer.finish(), options);
}

double Case::error_ns(const Clocks& clocks, std::size_t h, double t) const {
  return static_cast<double>(clocks.maps[h].to_global(clocks_[h].ticks(t)) -
                             clocks.maps[0].to_global(clocks_[0].ticks(t)));
}

double Case::worst_ns(const Clocks& clocks, std::size_t h) const {
  double worst = 0;
  for (int i = 0; i <= kMoments; ++i) worst = std::max(worst, std::abs(error_ns(clocks, h, moment(i, seconds_))));
  return worst;
}

CaseBounds Case::bounds(const Clocks& clocks, std::size_t h) const {
  CaseBounds result;
  for (const BoundLevel level : {BoundLevel::t1, BoundLevel::t2}) {
    std::vector<double> widths;
    for (int i = 0; i <= kMoments; ++i) {
      const double t = moment(i, seconds_);
      const std::int64_t found = clocks.maps[h].to_global(clocks_[h].ticks(t));
      const std::int64_t truth = clocks.maps[0].to_global(clocks_[0].ticks(t));
      const auto bound = clocks.bounds.at(clocks.domain_of[h], found, level);
      if (!bound) continue;
      ++result.checked.points;
      result.checked.outside += truth < found - bound->early_ns || truth > found + bound->late_ns;
      widths.push_back(static_cast<double>(bound->half_width_ns()));
    }
    if (!widths.empty()) (level == BoundLevel::t1 ? result.t1_ns : result.t2_ns) = median(std::move(widths));
  }
  return result;
}

double Case::half_width_ns(const Clocks& clocks, std::size_t h, double t, BoundLevel level) const {
  const auto bound = clocks.bounds.at(clocks.domain_of[h], clocks.maps[h].to_global(clocks_[h].ticks(t)), level);
  return bound ? static_cast<double>(bound->half_width_ns()) : -1;
}

namespace {

const ExchangeRow& first_exchange(const RankMeta& meta, std::size_t peer) {
  return *std::ranges::find(meta.exchanges, static_cast<std::int32_t>(peer), &ExchangeRow::peer);
}

/// Four stamps, with times since the first question, and the offset since its arrival.
ExchangeOffset round_trip(const ExchangeRow& first, const ExchangeRow& row) {
  const auto since = [](std::uint64_t ticks, std::uint64_t base) {
    return static_cast<long double>(static_cast<std::int64_t>(ticks - base));
  };
  const long double sent = since(row.sent_ticks, first.sent_ticks), back = since(row.returned_ticks, first.sent_ticks);
  const long double received = since(row.received_ticks, first.received_ticks);
  const long double replied = since(row.replied_ticks, first.received_ticks);
  const long double here = (sent + back) / 2;
  return {here, (received + replied) / 2 - here, (back - sent) - (replied - received), 0};
}

}  // namespace

std::vector<ExchangeOffset> Case::trips(std::size_t a, std::size_t b) const {
  std::vector<ExchangeOffset> all;
  const ExchangeRow& first = first_exchange(metas_[a], b);
  for (const ExchangeRow& row : metas_[a].exchanges)
    if (row.peer == first.peer) all.push_back(round_trip(first, row));
  return all;
}

double Case::worst_ns(const OffsetLine& line, std::size_t a, std::size_t b) const {
  double worst = 0;
  for (int i = 0; i <= kMoments; ++i) {
    const ExchangeOffset ideal = truth(a, b, moment(i, seconds_));
    worst = std::max(worst, std::abs(line.at_ns(ideal.at_ns) - static_cast<double>(ideal.offset_ns)));
  }
  return worst;
}

ExchangeOffset Case::truth(std::size_t a, std::size_t b, double t) const {
  const std::uint64_t here = clocks_[a].ticks(t), there = clocks_[b].ticks(t);
  return round_trip(first_exchange(metas_[a], b), {static_cast<std::int32_t>(b), {}, here, there, there, here});
}

OffsetLine fit_offsets(std::span<const ExchangeOffset> trips) {
  const auto n = static_cast<long double>(trips.size());
  long double centre = 0, mean = 0, half = 0, squares = 0, products = 0, residuals = 0;
  for (const ExchangeOffset& one : trips) {
    centre += one.at_ns / n;
    mean += one.offset_ns / n;
    half += one.rtt_ns / 2 / n;
  }
  for (const ExchangeOffset& one : trips) {
    squares += (one.at_ns - centre) * (one.at_ns - centre);
    products += (one.at_ns - centre) * (one.offset_ns - mean);
  }
  const long double x = products / squares;
  for (const ExchangeOffset& one : trips) {
    const long double residual = one.offset_ns - mean - x * (one.at_ns - centre);
    residuals += residual * residual;
  }
  const long double er = std::sqrt(residuals / (n - 2));
  OffsetLine line;
  line.x = static_cast<double>(x);
  line.d0_ns = static_cast<double>(mean - x * centre);
  line.er_ns = static_cast<double>(er);
  line.ex = static_cast<double>(er / std::sqrt(squares));
  line.ed0_ns = static_cast<double>(er * std::sqrt(1 / n + centre * centre / squares));
  line.mean_half_ns = static_cast<double>(half);
  return line;
}

std::vector<ExchangeOffset> within(std::span<const ExchangeOffset> trips, double deviations) {
  const auto n = static_cast<long double>(trips.size());
  long double mean = 0, squares = 0;
  for (const ExchangeOffset& one : trips) mean += one.rtt_ns / 2 / n;
  for (const ExchangeOffset& one : trips) squares += (one.rtt_ns / 2 - mean) * (one.rtt_ns / 2 - mean);
  const long double most = deviations * std::sqrt(squares / (n - 1));
  std::vector<ExchangeOffset> kept;
  for (const ExchangeOffset& one : trips)
    if (std::abs(one.rtt_ns / 2 - mean) <= most) kept.push_back(one);
  return kept;
}

std::vector<ExchangeOffset> quickest(std::vector<ExchangeOffset> trips, double share) {
  std::ranges::stable_sort(trips, {}, &ExchangeOffset::rtt_ns);
  trips.resize(static_cast<std::size_t>(std::ceil(static_cast<double>(trips.size()) * share)));
  return trips;
}

double longest_half_ns(std::span<const ExchangeOffset> trips) {
  return static_cast<double>(std::ranges::max(trips, {}, &ExchangeOffset::rtt_ns).rtt_ns / 2);
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace meridian::test
