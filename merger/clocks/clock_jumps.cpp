// Clocks that were set while the program ran.

#include <algorithm>
#include <cmath>
#include <functional>

#include "merger/clocks/clock_fit.hpp"

namespace meridian {
namespace {

// Knots of the zone around a bend in which the jump is looked for; beyond it the clock is straight.
constexpr std::size_t kBefore = 2, kAfter = 4;
constexpr double kBendOverJump = 3;   // a jump has to explain that much more than a bend
constexpr std::size_t kSuspects = 8;  // that are looked at

struct Suspect {
  std::size_t domain = 0;
  std::size_t knot = 0;
  double bend_ns = 0;
};

/// The sharpest bends among the knots at which messages are reversed, the sharpest first; one for a stretch of knots.
std::vector<Suspect> find_suspects(const ClockSamples& samples, const ClockResidual& residual, std::size_t reference,
                                   double least_bend_ns) {
  const std::size_t n = residual.knots;
  std::vector<Suspect> all, chosen;
  if (n < kBefore + kAfter + 6) return all;
  std::vector<bool> is_reversed(residual.domains * n);
  const auto group = static_cast<std::size_t>(std::round(residual.step_ns / static_cast<double>(samples.window_ns())));
  for (const ClockTight& one : find_tight(samples, residual, group))
    if (one.slack_ns < 0 && one.latency < samples.pairs().size()) {
      is_reversed[one.from * n + residual.place(one.sent_ns).index] = true;
      is_reversed[one.to * n + residual.place(one.received_ns).index] = true;
    }
  for (std::size_t h = 0; h < residual.domains; ++h) {
    if (h == reference) continue;
    for (std::size_t k = kBefore + 2; k + kAfter + 2 < n; ++k) {
      if (!is_reversed[h * n + k] && !is_reversed[h * n + k + 1]) continue;
      double bend = 0;
      for (std::size_t q = k - 1; q <= k + 2; ++q)
        bend = std::max(bend, std::abs(residual.knot(h, q - 1) - 2 * residual.knot(h, q) + residual.knot(h, q + 1)));
      if (bend > least_bend_ns) all.push_back({h, k, bend});
    }
  }
  std::ranges::stable_sort(all, std::ranges::greater{}, &Suspect::bend_ns);
  for (const Suspect& one : all) {
    const bool is_known = std::ranges::any_of(chosen, [&](const Suspect& known) {
      return known.domain == one.domain &&
             (known.knot > one.knot ? known.knot - one.knot : one.knot - known.knot) < kAfter;
    });
    if (!is_known) chosen.push_back(one);
    if (chosen.size() == kSuspects) break;
  }
  return chosen;
}

struct Line {
  double at = 0, value = 0, slope = 0;
  double operator()(double t) const { return value + slope * (t - at); }
};

/// What a message demands of one domain's correction at one moment.
struct Demand {
  double at = 0;
  double value = 0;
  bool is_least = false;  // else at most
  double violation(double z) const { return std::max(0.0, is_least ? value - z : z - value); }
};

std::vector<Demand> demands_in(const ClockSamples& samples, const ClockResidual& residual, std::size_t domain,
                               double from_ns, double to_ns) {
  std::vector<Demand> demands;
  for (const PairSamples& pair : samples.pairs())
    for (int direction = 0; direction < 2; ++direction) {
      const std::uint32_t from = pair.from(direction), to = pair.to(direction);
      if (from != domain && to != domain) continue;
      for (const ClockPoint& point : pair.sides[direction].points()) {
        const auto raw_sent = static_cast<double>(point.sent_ns);
        const auto raw_received = static_cast<double>(point.sent_ns + point.delay_ns);
        if (residual.is_blind_at(from, raw_sent) || residual.is_blind_at(to, raw_received)) continue;
        const double sent = residual.shifted(from, raw_sent), received = residual.shifted(to, raw_received);
        if (to == domain && received > from_ns && received < to_ns)
          demands.push_back({received, sent + residual.at(from, sent) - received, true});
        if (from == domain && sent > from_ns && sent < to_ns)
          demands.push_back({sent, received + residual.at(to, received) - sent, false});
      }
    }
  for (const std::vector<CollectiveSide>& sides : samples.collectives()) {
    double last_enter = -HUGE_VAL, first_exit = HUGE_VAL;  // of the others
    const CollectiveSide* own = nullptr;
    const bool is_blind = std::ranges::any_of(sides, [&](const CollectiveSide& side) {
      return residual.is_blind_at(side.domain, static_cast<double>(side.last_enter_ns)) ||
             residual.is_blind_at(side.domain, static_cast<double>(side.first_exit_ns));
    });
    for (const CollectiveSide& side : sides) {
      if (side.domain == domain) {
        own = &side;
        continue;
      }
      last_enter = std::max(last_enter, residual.corrected(side.domain, static_cast<double>(side.last_enter_ns)));
      first_exit = std::min(first_exit, residual.corrected(side.domain, static_cast<double>(side.first_exit_ns)));
    }
    if (own == nullptr || sides.size() < 2 || is_blind) continue;
    const double enter = residual.shifted(domain, static_cast<double>(own->last_enter_ns));
    const double exit = residual.shifted(domain, static_cast<double>(own->first_exit_ns));
    if (exit > from_ns && exit < to_ns) demands.push_back({exit, last_enter - exit, true});
    if (enter > from_ns && enter < to_ns) demands.push_back({enter, first_exit - enter, false});
  }
  std::ranges::sort(demands, {}, &Demand::at);
  return demands;
}

/// What it costs to go over from one line to the other, where that is least, and where the lines meet.
struct Split {
  double at = 0;
  double cost = 0;
  double cost_of_bend = 0;  ///< without a jump
};

Split best_split(const std::vector<Demand>& demands, const Line& before, const Line& after) {
  const std::size_t n = demands.size();
  std::vector<double> rest(n + 1, 0);
  for (std::size_t i = n; i-- > 0;) rest[i] = rest[i + 1] + demands[i].violation(after(demands[i].at));
  const double meet = before.at + (before.value - after(before.at)) / (after.slope - before.slope);
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

bool try_jump(const ClockSamples& samples, ClockResidual& residual, const Suspect& suspect, double latency_ns) {
  const std::size_t h = suspect.domain, first = suspect.knot - kBefore, last = suspect.knot + kAfter;
  const auto slope = [&](std::size_t k) { return (residual.knot(h, k + 1) - residual.knot(h, k)) / residual.step_ns; };
  const Line before{residual.knot_ns(first - 1), residual.knot(h, first - 1), slope(first - 2)};
  const Line after{residual.knot_ns(last + 1), residual.knot(h, last + 1),
                   slope(std::min(last + 1, residual.knots - 2))};
  const auto demands = demands_in(samples, residual, h, residual.knot_ns(first), residual.knot_ns(last));
  if (demands.size() < 4) return false;
  const Split split = best_split(demands, before, after);
  const double at = split.at, size = before(at) - after(at);
  if (std::abs(size) < 2 * latency_ns) return false;
  if (split.cost_of_bend < kBendOverJump * split.cost + latency_ns) return false;

  double raw = at;  // as the first line has it
  for (const ClockJump& jump : residual.jumps[h])
    if (raw > std::min(jump.at_ns, jump.last_before_ns)) raw += jump.size_ns;
  residual.jumps[h].push_back({raw, size, raw - 1, raw});
  std::ranges::sort(residual.jumps[h], {}, &ClockJump::at_ns);
  for (std::size_t k = first; k < residual.knots; ++k)
    residual.knot(h, k) = k <= last ? before(residual.knot_ns(k)) : residual.knot(h, k) + size;
  return true;
}

}  // namespace

bool add_jump(const ClockSamples& samples, ClockResidual& residual, std::size_t reference, double latency_ns) {
  for (const Suspect& suspect : find_suspects(samples, residual, reference, 2 * latency_ns))
    if (try_jump(samples, residual, suspect, latency_ns)) return true;
  return false;
}

}  // namespace meridian
