// SPDX-License-Identifier: Apache-2.0
#include "merger/clocks/steps/straight_steps.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <set>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "merger/clocks/samples/clock_constraints.hpp"
#include "merger/clocks/samples/median.hpp"
#include "merger/clocks/steps/clock_views.hpp"
#include "merger/model/clock_tuning.hpp"
#include "trace/model/units.hpp"

namespace meridian {
namespace {

/// A bound of the correction at a stamp, by a message or a collective.
struct StampLimit {
  double at_ns = 0;  ///< the stamp, on the first line
  double value_ns = 0;
  bool is_upper = false;
};

/// The corrections that satisfy limits of one stretch of time, at the begin of the run, if the clock has a given rate.
struct Offsets {
  double lower = -kInfinity, upper = kInfinity;
  bool take(const StampLimit& one, double value) {
    (one.is_upper ? upper : lower) = one.is_upper ? std::min(upper, value) : std::max(lower, value);
    return lower <= upper;
  }
};

using Contradiction = std::pair<std::uint32_t, std::uint32_t>;  // of domains, the lower number first

bool is_impossible(double drift) { return std::abs(drift) > ClockTuning::kMostStraightRate; }

/// The drift that most clocks have. Two clocks have no majority: the drift of the reference, which is 0.
double usual_drift(std::span<const double> drifts) {
  return drifts.size() > 2 ? median({drifts.begin(), drifts.end()}, 0) : 0;
}

class StraightStepFinder {
 public:
  StraightStepFinder(const ClockSamples& samples, ClockCorrection& correction, std::size_t reference,
                     std::span<const double> drifts)
      : samples_{samples},
        collectives_{samples},
        correction_{correction},
        reference_{reference},
        drifts_{drifts},
        is_steady_(correction.domains, true),
        length_ns_{correction.spacing_ns * static_cast<double>(correction.knots - 1)},
        doubt_ns_{ClockTuning::kLeastStepNs + ClockTuning::kStraightDoubt * length_ns_ + usual_trip()} {}

  std::size_t run() {
    std::size_t found = 0;
    for (const std::size_t domain : find_odd()) {
      const std::vector<ClockStep> steps = steps_of(domain);
      found += steps.size();
      is_steady_[domain] = !steps.empty();
    }
    return found;
  }

 private:
  /// The quickest round trip of a usual pair.
  double usual_trip() const {
    std::vector<double> quickest(samples_.pairs().size(), kInfinity);
    for (const ClockConstraint& one : find_tight(samples_, correction_, 1))
      if (one.latency < quickest.size()) quickest[one.latency] = std::min(quickest[one.latency], one.round_trip_ns);
    std::erase_if(quickest, [](double trip) { return std::isinf(trip); });
    return std::max(0.0, median(std::move(quickest), 0));
  }

  /// The domains with a rate that no oscillator has, then domains that contradict others, until the remaining domains agree.
  std::vector<std::size_t> find_odd() {
    std::set<Contradiction> contradicted = contradictions();
    const double usual = usual_drift(drifts_);
    std::vector<std::size_t> aside;
    for (std::size_t h = 0; h < correction_.domains; ++h)
      if (is_impossible(drifts_[h] - usual)) set_aside(h, contradicted, aside);
    while (!contradicted.empty() && aside.size() < ClockTuning::kMostSuspects) {
      std::vector<std::size_t> count(correction_.domains, 0);
      for (const auto& [from, to] : contradicted) ++count[from], ++count[to];
      // If several clocks have as many contradictions, the reference is last, and before it the clock with the least usual rate is first.
      const auto is_less_odd = [&](std::size_t one, std::size_t other) {
        const auto oddness = [&](std::size_t h) {
          return std::tuple{count[h], h != reference_, std::abs(drifts_[h] - usual)};
        };
        return oddness(one) < oddness(other);
      };
      std::vector<std::size_t> domains(correction_.domains);
      std::iota(domains.begin(), domains.end(), std::size_t{0});
      set_aside(*std::ranges::max_element(domains, is_less_odd), contradicted, aside);
    }
    return aside;
  }

  void set_aside(std::size_t domain, std::set<Contradiction>& contradicted, std::vector<std::size_t>& aside) {
    aside.push_back(domain);
    is_steady_[domain] = false;
    std::erase_if(contradicted, [&](const Contradiction& one) { return one.first == domain || one.second == domain; });
  }

  /// The pairs of domains of which one receives a message, or leaves a collective, much too early on the first lines.
  std::set<Contradiction> contradictions() const {
    std::set<Contradiction> found;
    for (const PairSamples& pair : samples_.pairs())
      for (const int direction : {0, 1})
        for_each_message(pair, direction, correction_, [&](const ClockConstraint& one, const ClockPoint&) {
          if (one.slack_ns >= -doubt_ns_) return Visited::next;
          found.insert({pair.low, pair.high});
          return Visited::stop;
        });
    for (const std::vector<CollectiveSide>& sides : samples_.collectives())
      for_each_wait(sides, last_enter(sides, correction_), correction_, [&](const ClockConstraint& one) {
        if (one.slack_ns < -doubt_ns_) found.insert(std::minmax(one.from, one.to));
      });
    return found;
  }

  /// By time on the domain's first line.
  std::vector<StampLimit> limits_of(std::size_t domain) const {
    std::vector<StampLimit> limits;
    const auto add = [&](const ClockConstraint& one) {
      if (std::isinf(one.slack_ns)) return;
      if (one.from == domain)
        limits.push_back({one.sent_ns, one.received_ns + correction_.at(one.to, one.received_ns) - one.sent_ns, true});
      else
        limits.push_back(
            {one.received_ns, one.sent_ns + correction_.at(one.from, one.sent_ns) - one.received_ns, false});
    };
    for (const PairSamples& pair : samples_.pairs()) {
      if (pair.low != domain && pair.high != domain) continue;
      if (!is_steady_[pair.low == domain ? pair.high : pair.low]) continue;
      for (const int direction : {0, 1})
        for_each_message(pair, direction, correction_,
                         [&](const ClockConstraint& one, const ClockPoint&) { add(one); });
      for_each_wait_between(collectives_, pair, correction_,
                            [&](const ClockConstraint& one, double, double) { add(one); });
    }
    std::ranges::stable_sort(limits, {}, &StampLimit::at_ns);
    return limits;
  }

  double value_at_begin(const StampLimit& one, double rate, double doubt) const {
    return one.value_ns - rate * (one.at_ns - correction_.begin_ns) + (one.is_upper ? doubt : -doubt);
  }

  /// The limits at which a clock of this rate has to have been set, as late as possible; in reverse order, as early as possible.
  std::vector<std::size_t> breaks(const std::vector<StampLimit>& limits, double rate, double doubt,
                                  std::size_t most) const {
    std::vector<std::size_t> found;
    Offsets offsets;
    std::size_t i = 0;
    for (const StampLimit& one : limits) {
      const double value = value_at_begin(one, rate, doubt);
      if (!offsets.take(one, value)) {
        found.push_back(i);
        if (found.size() > most) break;
        offsets = {};
        offsets.take(one, value);
      }
      ++i;
    }
    return found;
  }

  /// Rates, and the number of steps that a clock of any of them has.
  struct Rates {
    std::vector<double> rates;
    std::size_t steps = ClockTuning::kMostSteps;
  };
  /// Those with the fewest steps.
  Rates fewest(const std::vector<StampLimit>& limits, const Rates& among, double doubt) const {
    Rates best{{}, among.steps};
    for (const double rate : among.rates) {
      const std::size_t count = breaks(limits, rate, doubt, best.steps).size();
      if (count > best.steps) continue;
      if (count < best.steps) best = {{}, count};
      best.rates.push_back(rate);
    }
    return best;
  }

  std::vector<ClockStep> steps_of(std::size_t domain) {
    const std::vector<StampLimit> limits = limits_of(domain);
    if (limits.empty() || limits.size() > ClockTuning::kMostStraightLimits || !std::isfinite(rate_of(domain)))
      return {};
    Rates all;
    const auto reach = static_cast<int>(ClockTuning::kMostStraightRate / grain());
    for (int i = -reach; i <= reach; ++i) all.rates.push_back(rate_of(domain) + grain() * i);
    all = fewest(limits, all, doubt_ns_);
    if (all.rates.empty() || all.steps == 0) return {};
    const Rates likely = usual(limits, all, doubt_ns_);
    Rates best = likely;
    double doubt = doubt_ns_;
    for (double less = doubt / 2; less > ClockTuning::kLeastStepNs; less /= 2) {
      Rates closer = fewest(limits, best, less);
      if (closer.rates.empty()) break;
      best = std::move(closer);
      doubt = less;
    }
    const double rate = best.rates[best.rates.size() / 2];
    if (doubt_between(all.rates, rate) * length_ns_ > size_of(limits, rate, 2 * doubt)) return {};
    std::vector<ClockStep> steps =
        set(domain, limits, stretches_of(limits, range_of(limits, likely), rate, 2 * doubt), rate);
    const double half = (best.rates.back() - best.rates.front()) / 2;
    for (std::size_t h = 0; half > ClockTuning::kSuddenRate && h < correction_.domains; ++h)
      if (h == domain || domain == reference_) correction_.set_rate_doubt(h, std::max(half, correction_.rate_doubt(h)));
    return steps;
  }

  /// The rates with which a clock was set by hardly more than the least possible.
  Rates usual(const std::vector<StampLimit>& limits, const Rates& all, double doubt) const {
    std::vector<double> sizes;
    for (const double rate : all.rates) sizes.push_back(size_of(limits, rate, doubt));
    const double most = *std::ranges::min_element(sizes) * ClockTuning::kHardlyMore;
    Rates some{{}, all.steps};
    for (std::size_t i = 0; i < sizes.size(); ++i)
      if (sizes[i] <= most) some.rates.push_back(all.rates[i]);
    return some;
  }

  /// The extent of the rates that cannot be told from this one.
  static double doubt_between(const std::vector<double>& rates, double chosen) {
    const auto at = std::ranges::find(rates, chosen);
    auto first = at, last = at;
    while (first != rates.begin() && *first - *std::prev(first) < 2 * grain()) --first;
    while (std::next(last) != rates.end() && *std::next(last) - *last < 2 * grain()) ++last;
    return *last - *first;
  }

  /// How far a clock of this rate was set in all, at least: it stays where it is until a limit moves it.
  double size_of(const std::vector<StampLimit>& limits, double rate, double doubt) const {
    Offsets now;
    double size = 0;
    for (const StampLimit& one : limits) {
      const double value = value_at_begin(one, rate, doubt);
      if (now.take(one, value)) continue;
      size += now.lower - now.upper;
      now = {value, value};
    }
    return size;
  }

  /// The slope of the domain's correction if a tick of its clock lasts as long as a tick of the others.
  double rate_of(std::size_t domain) const {
    std::vector<double> others;
    for (std::size_t h = 0; h < correction_.domains; ++h) {
      const double slope = (correction_.knot(h, 1) - correction_.knot(h, 0)) / correction_.spacing_ns;
      if (is_steady_[h]) others.push_back((1 + drifts_[h]) * (1 + slope));
    }
    return median(std::move(others), 1) / (1 + drifts_[domain]) - 1;
  }

  /// A step comes behind one limit and before another.
  struct StepRange {
    std::size_t before = 0, behind = 0;  ///< the last limit that is certainly before it, the first one certainly behind
    double at_ns = 0;
  };
  /// [step]: the first limits behind each one, if it was as early or as late as it can have been at any likely rate.
  struct Range {
    std::vector<std::size_t> earliest, latest;
  };
  Range range_of(const std::vector<StampLimit>& limits, const Rates& likely) const {
    Range range{std::vector<std::size_t>(likely.steps, limits.size()), std::vector<std::size_t>(likely.steps, 0)};
    const std::vector<StampLimit> reversed(limits.rbegin(), limits.rend());
    for (const double rate : likely.rates) {
      const std::vector<std::size_t> late = breaks(limits, rate, doubt_ns_, likely.steps);
      const std::vector<std::size_t> early = breaks(reversed, rate, doubt_ns_, likely.steps);
      for (std::size_t k = 0; k < late.size(); ++k) range.latest[k] = std::max(range.latest[k], late[k]);
      for (std::size_t k = 0; k < early.size(); ++k) {
        std::size_t& first = range.earliest[early.size() - 1 - k];
        first = std::min(first, limits.size() - early[k]);
      }
    }
    return range;
  }

  struct Stretches {
    std::vector<double> offsets;  ///< between the steps; empty if they are not determined
    std::vector<StepRange> steps;
    double doubt_ns = 0;
  };
  Stretches stretches_of(const std::vector<StampLimit>& limits, const Range& range, double rate, double doubt) const {
    const auto& [earliest, latest] = range;
    const std::size_t count = latest.size();
    // If steps are as late as this rate permits, the stretches between them are not empty.
    const std::vector<std::size_t> one_way = breaks(limits, rate, doubt, count);
    if (one_way.size() != count) return {};
    Stretches found;
    found.doubt_ns = doubt;
    for (std::size_t k = 0; k <= count; ++k) {
      const auto offset_between = [&](std::size_t begin, std::size_t end) {
        Offsets all;
        for (std::size_t i = begin; i < end; ++i) all.take(limits[i], value_at_begin(limits[i], rate, doubt));
        return (all.lower + all.upper) / 2;
      };
      double offset = offset_between(k == 0 ? 0 : latest[k - 1], k == count ? limits.size() : earliest[k]);
      // Where what is certainly between two steps does not determine it, stamps from the earliest first step to the latest second one may be
      // from anywhere.
      const bool is_anywhere = k > 0 && k < count && !std::isfinite(offset);
      if (is_anywhere) offset = offset_between(one_way[k - 1], one_way[k]);
      if (!std::isfinite(offset)) return {};
      found.offsets.push_back(offset);
      if (k == count) break;
      StepRange step{earliest[k] - 1, latest[k], (limits[earliest[k] - 1].at_ns + limits[latest[k]].at_ns) / 2};
      if (is_anywhere) {
        step.before = found.steps.back().before;
        step.at_ns = (limits[one_way[k] - 1].at_ns + limits[one_way[k]].at_ns) / 2;
        for (StepRange& other : found.steps)
          if (other.before == step.before) other.behind = step.behind;
      }
      found.steps.push_back(step);
    }
    return found;
  }

  std::vector<ClockStep> set(std::size_t domain, const std::vector<StampLimit>& limits, const Stretches& stretches,
                             double rate) {
    const auto& [offsets, ranges, doubt] = stretches;
    if (offsets.empty()) return {};
    std::vector<ClockStep> steps;
    for (std::size_t k = 0; k < ranges.size(); ++k) {
      const double before = limits[ranges[k].before].at_ns, after = limits[ranges[k].behind].at_ns;
      const double size = (offsets[k] - offsets[k + 1]) / (1 + rate);
      if (!(std::abs(size) > 2 * doubt) || !(before < after)) return {};
      steps.push_back({ranges[k].at_ns, size, before, after});
    }
    std::ranges::sort(steps, {}, &ClockStep::at_ns);
    correction_.steps[domain] = steps;
    correction_ = correction_.resampled(correction_.begin_ns, correction_.spacing_ns + correction_.longest_overrun(),
                                        correction_.knots);
    move(domain, offsets.front(), rate);
    return steps;
  }

  /// Gives a domain this line. For the reference, all others move instead.
  void move(std::size_t domain, double offset, double rate) {
    const auto line = [&](double at_ns) { return offset + rate * (at_ns - correction_.begin_ns); };
    for (std::size_t k = 0; k < correction_.knots; ++k) {
      if (domain != reference_) correction_.knot(domain, k) = line(correction_.knot_ns(k));
      for (std::size_t h = 0; domain == reference_ && h < correction_.domains; ++h) {
        if (h == reference_) continue;
        const double own = correction_.knot_ns(k) + correction_.knot(h, k);
        correction_.knot(h, k) = (own - line(0)) / (1 + rate) - correction_.knot_ns(k);
      }
    }
  }

  static double grain() { return ClockTuning::kStraightDoubt / 2; }  // between rates

  const ClockSamples& samples_;
  CollectivesOfDomains collectives_;
  ClockCorrection& correction_;
  std::size_t reference_;
  std::span<const double> drifts_;
  std::vector<bool> is_steady_;  // [domain]
  double length_ns_, doubt_ns_;
};

}  // namespace

bool have_rates_of_oscillators(std::span<const double> drifts) {
  const double usual = usual_drift(drifts);
  return std::ranges::none_of(drifts, [&](double drift) { return is_impossible(drift - usual); });
}

void doubt_rates(std::span<const double> drifts, std::size_t reference, ClockCorrection& correction) {
  const double usual = usual_drift(drifts);
  for (std::size_t h = 0; h < drifts.size(); ++h)
    if (const double odd =
            h == reference || !is_impossible(drifts[h] - usual) ? drifts[reference] - usual : drifts[h] - usual;
        is_impossible(odd))
      correction.set_rate_doubt(h, std::abs(odd));
}

std::size_t find_straight_steps(const ClockSamples& samples, ClockCorrection& correction, std::size_t reference,
                                std::span<const double> drifts) {
  return StraightStepFinder{samples, correction, reference, drifts}.run();
}

}  // namespace meridian
