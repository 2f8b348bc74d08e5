// SPDX-License-Identifier: Apache-2.0
#include "merger/clocks/steps/step_at_bend.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "merger/clocks/samples/clock_constraints.hpp"
#include "merger/clocks/steps/offset_line.hpp"
#include "merger/model/clock_tuning.hpp"

namespace meridian {
namespace {

struct BendSuspect {
  std::size_t domain = 0;
  std::size_t knot = 0;
  double bend_ns = 0;
};

/// The sharpest bends among the knots at which messages are reversed, the sharpest first; one for a stretch of knots.
std::vector<BendSuspect> find_suspects(const ClockSamples& samples, const ClockCorrection& correction,
                                       std::size_t reference, double least_bend_ns) {
  const std::size_t n = correction.knots;
  std::vector<BendSuspect> all, chosen;
  if (n < ClockTuning::kZoneBefore + ClockTuning::kZoneAfter + 6) return all;
  std::vector<bool> is_reversed(correction.domains * n);
  const auto group =
      static_cast<std::size_t>(std::round(correction.spacing_ns / static_cast<double>(samples.window_ns())));
  for (const ClockConstraint& one : find_tight(samples, correction, group))
    if (one.slack_ns < 0 && one.latency < samples.pairs().size()) {
      is_reversed[one.from * n + correction.place(one.sent_ns).index] = true;
      is_reversed[one.to * n + correction.place(one.received_ns).index] = true;
    }
  for (std::size_t h = 0; h < correction.domains; ++h) {
    if (h == reference) continue;
    for (std::size_t k = ClockTuning::kZoneBefore + 2; k + ClockTuning::kZoneAfter + 2 < n; ++k) {
      if (!is_reversed[h * n + k] && !is_reversed[h * n + k + 1]) continue;
      double bend = 0;
      for (std::size_t q = k - 1; q <= k + 2; ++q) bend = std::max(bend, correction.bend_ns(h, q));
      if (bend > least_bend_ns) all.push_back({h, k, bend});
    }
  }
  std::ranges::stable_sort(all, std::ranges::greater{}, &BendSuspect::bend_ns);
  for (const BendSuspect& one : all) {
    const bool is_known = std::ranges::any_of(chosen, [&](const BendSuspect& known) {
      return known.domain == one.domain &&
             (known.knot > one.knot ? known.knot - one.knot : one.knot - known.knot) < ClockTuning::kZoneAfter;
    });
    if (!is_known) chosen.push_back(one);
    if (chosen.size() == ClockTuning::kBendSuspects) break;
  }
  return chosen;
}

/// The limit that a message sets for one domain's correction at one moment.
struct Demand {
  double at = 0;
  double value = 0;
  bool is_least = false;  // otherwise at most
  double violation(double z) const { return std::max(0.0, is_least ? value - z : z - value); }
};

std::vector<Demand> demands_in(const ClockSamples& samples, const ClockCorrection& correction, std::size_t domain,
                               double from_ns, double to_ns) {
  std::vector<Demand> demands;
  for (const PairSamples& pair : samples.pairs())
    for (int direction = 0; direction < 2; ++direction) {
      const std::uint32_t from = pair.from(direction), to = pair.to(direction);
      if (from != domain && to != domain) continue;
      for_each_message(pair, direction, correction, [&](const ClockConstraint& one, const ClockPoint&) {
        if (!std::isfinite(one.slack_ns)) return;
        const double sent = one.sent_ns, received = one.received_ns;
        if (to == domain && received > from_ns && received < to_ns)
          demands.push_back({received, sent + correction.at(from, sent) - received, true});
        if (from == domain && sent > from_ns && sent < to_ns)
          demands.push_back({sent, received + correction.at(to, received) - sent, false});
      });
    }
  for (const std::vector<CollectiveSide>& sides : samples.collectives()) {
    const auto own = std::ranges::find(sides, domain, &CollectiveSide::domain);
    const bool is_ambiguous = std::ranges::any_of(sides, [&](const CollectiveSide& side) {
      return correction.is_ambiguous_at(side.domain, static_cast<double>(side.last_enter_ns)) ||
             correction.is_ambiguous_at(side.domain, static_cast<double>(side.first_exit_ns));
    });
    if (own == sides.end() || sides.size() < 2 || is_ambiguous) continue;
    const CollectiveEnds others = collective_ends(
        sides, [&](std::uint32_t other) { return other != domain; },
        [&](std::uint32_t other, std::int64_t ns) { return correction.corrected(other, static_cast<double>(ns)); });
    const double enter = correction.shifted(domain, static_cast<double>(own->last_enter_ns));
    const double exit = correction.shifted(domain, static_cast<double>(own->first_exit_ns));
    if (exit > from_ns && exit < to_ns) demands.push_back({exit, others.last_enter_ns - exit, true});
    if (enter > from_ns && enter < to_ns) demands.push_back({enter, others.first_exit_ns - enter, false});
  }
  std::ranges::sort(demands, {}, &Demand::at);
  return demands;
}

/// The least cost of a transition from one line to the other, and the position of the transition.
struct Split {
  double at = 0;
  double cost = 0;
  double cost_of_bend = 0;  ///< without a step
};

Split best_split(const std::vector<Demand>& demands, const OffsetLine& before, const OffsetLine& after) {
  const std::size_t n = demands.size();
  std::vector<double> rest(n + 1, 0);
  for (std::size_t i = n; i-- > 0;) rest[i] = rest[i + 1] + demands[i].violation(after(demands[i].at));
  const double meet = before.begin + (before.value - after(before.begin)) / (after.slope - before.slope);
  Split best{0, rest[0], rest[0]};
  double sum = 0;
  std::size_t split = 0;
  for (std::size_t i = 0; i < n; ++i) {
    sum += demands[i].violation(before(demands[i].at));
    if (demands[i].at < meet) best.cost_of_bend = sum + rest[i + 1];
    if (sum + rest[i + 1] >= best.cost) continue;
    best.cost = sum + rest[i + 1];
    split = i + 1;
  }
  best.at = split == 0   ? demands.front().at
            : split == n ? demands.back().at
                         : (demands[split - 1].at + demands[split].at) / 2;
  return best;
}

bool try_step(const ClockSamples& samples, ClockCorrection& correction, const BendSuspect& suspect, double latency_ns) {
  const std::size_t h = suspect.domain, first = suspect.knot - ClockTuning::kZoneBefore,
                    last = suspect.knot + ClockTuning::kZoneAfter;
  const auto slope = [&](std::size_t k) {
    return (correction.knot(h, k + 1) - correction.knot(h, k)) / correction.spacing_ns;
  };
  const OffsetLine before{correction.knot_ns(first - 1), correction.knot(h, first - 1), slope(first - 2)};
  const OffsetLine after{correction.knot_ns(last + 1), correction.knot(h, last + 1),
                         slope(std::min(last + 1, correction.knots - 2))};
  const auto demands = demands_in(samples, correction, h, correction.knot_ns(first), correction.knot_ns(last));
  if (demands.size() < ClockTuning::kFewestDemands) return false;
  const Split split = best_split(demands, before, after);
  const double at = split.at, size = before(at) - after(at);
  if (std::abs(size) < ClockTuning::kLeastStepLatencies * latency_ns) return false;
  if (split.cost_of_bend < ClockTuning::kBendOverStep * split.cost + latency_ns) return false;

  double raw = at;  // on the first line
  for (const ClockStep& step : correction.steps[h])
    if (raw > std::min(step.at_ns, step.last_before_ns)) raw += step.size_ns;
  correction.steps[h].push_back({raw, size, raw - 1, raw});
  std::ranges::sort(correction.steps[h], {}, &ClockStep::at_ns);
  for (std::size_t k = first; k < correction.knots; ++k)
    correction.knot(h, k) = k <= last ? before(correction.knot_ns(k)) : correction.knot(h, k) + size;
  return true;
}

}  // namespace

bool add_step_at_bend(const ClockSamples& samples, ClockCorrection& correction, std::size_t reference,
                      double latency_ns) {
  for (const BendSuspect& suspect :
       find_suspects(samples, correction, reference, ClockTuning::kLeastStepLatencies * latency_ns))
    if (try_step(samples, correction, suspect, latency_ns)) return true;
  return false;
}

}  // namespace meridian
