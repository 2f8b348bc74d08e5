#include "merger/clocks/clock_steps.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "merger/clocks/clock_spare.hpp"

namespace meridian {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::size_t kFewestMoves = 6;  // of a corridor: fewer do not tell what is usual
constexpr std::size_t kAround = 3;       // moves on either side with which one is compared
constexpr double kIsolated = 4;          // times as large as those
constexpr double kLeastStepNs = 3000;
constexpr double kWander = 20e-6;        // rate that a clock may change by from one window to the next
constexpr double kFewestPartners = 0.5;  // share of a domain's partners that have to see it
constexpr double kSurely = 0.25;  // of a step: a message that contradicts one side of it by so much is on the other
constexpr std::size_t kMostSteps = 16;
constexpr std::size_t kMostOfAPair = 8;   // steps that one pair sees, the largest
constexpr double kMostRuns = 4;           // as long as the run: times within reach, and steps
constexpr double kMostSlope = 0.5;        // of a first line that is none
constexpr std::size_t kMostSuspects = 4;  // for one step
constexpr std::size_t kNearby = 4;        // windows beside a step that tell its size

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// A message says of the difference between another clock and that of the axis: at most, or at least, so much.
struct Limit {
  double at = 0;  ///< on the axis
  double value = 0;
  double other_raw_ns = 0;  ///< the other one's stamp, as the first line has it
  bool is_upper = false;
};

/// The limits of a window together.
struct Corridor {
  double at = 0;
  double upper = kInfinity, lower = -kInfinity;
  bool is_clean() const { return upper >= lower; }
  bool has_both() const { return std::isfinite(upper) && std::isfinite(lower); }
  double middle() const { return (upper + lower) / 2; }
};

double length_of(const ClockResidual& residual) { return residual.step_ns * static_cast<double>(residual.knots - 1); }

/// All limits of a pair on the corrected time of one of its domains, but for stamps that are out of all reason.
std::vector<Limit> limits_of(const PairSamples& pair, const ClockResidual& residual, bool is_axis_low) {
  std::vector<Limit> limits;
  const std::uint32_t axis = is_axis_low ? pair.low : pair.high;
  for (int direction = 0; direction < 2; ++direction) {
    const bool is_upper = pair.from(direction) == axis;
    ClockSpare spare{residual, pair.from(direction), pair.to(direction)};
    for (const ClockPoint& point : pair.sides[direction].points()) {
      const ClockSpare::Message one = spare(point);
      if (!std::isfinite(one.slack_ns)) continue;
      const double at = is_upper ? one.sent_ns : one.received_ns;
      if (std::abs(at - residual.begin_ns) > kMostRuns * length_of(residual)) continue;
      const double raw = static_cast<double>(is_upper ? point.sent_ns + point.delay_ns : point.sent_ns);
      limits.push_back({at + residual.at(axis, at), is_upper ? one.slack_ns : -one.slack_ns, raw, is_upper});
    }
  }
  return limits;
}

/// Corridors by window, of values without a slope; windows in which nothing was sent both ways are left out.
std::vector<Corridor> corridors_of(const std::vector<Limit>& limits, double begin, double window_ns, double slope) {
  double end = begin;
  for (const Limit& one : limits) end = std::max(end, one.at);
  std::vector<Corridor> corridors(static_cast<std::size_t>((end - begin) / window_ns) + 1);
  for (const Limit& one : limits) {
    const auto window = static_cast<std::size_t>((one.at - begin) / window_ns);
    Corridor& corridor = corridors[window];
    corridor.at = begin + (static_cast<double>(window) + 0.5) * window_ns;
    const double value = one.value - slope * (one.at - begin);
    if (one.is_upper)
      corridor.upper = std::min(corridor.upper, value);
    else
      corridor.lower = std::max(corridor.lower, value);
  }
  return corridors;
}

/// How fast one clock goes away from the other, as most windows have it. In windows a slope is as wide as it is steep:
/// once it is known roughly, and has been taken out, it is measured over a quarter of the run.
std::optional<double> usual_slope(const std::vector<Limit>& limits, double begin, double window_ns) {
  constexpr int kRounds = 3;
  double slope = 0;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<Corridor> corridors = corridors_of(limits, begin, window_ns, slope);
    std::erase_if(corridors, [](const Corridor& one) { return !one.has_both(); });
    if (corridors.size() <= kFewestMoves) return std::nullopt;
    const std::size_t way = round == 0 ? 1 : std::max<std::size_t>(1, corridors.size() / 4);
    std::vector<double> slopes;
    for (std::size_t k = way; k < corridors.size(); ++k) {
      const Corridor &one = corridors[k - way], &other = corridors[k];
      slopes.push_back((other.middle() - one.middle()) / (other.at - one.at));
    }
    slope += median(std::move(slopes));
  }
  return slope;
}

/// What two domains say of each other: corridors that are none in doubt, and the usual slope.
struct View {
  std::vector<Limit> limits;
  std::vector<Corridor> clean;
  double begin = 0, slope = 0;

  std::vector<bool> steps;  ///< [clean]: from this corridor to the next
};

std::optional<View> look(const ClockSamples& samples, const PairSamples& pair, const ClockResidual& residual,
                         bool is_axis_low) {
  const auto window_ns = static_cast<double>(samples.window_ns());
  View view;
  if (std::min(pair.sides[0].size(), pair.sides[1].size()) <= kFewestMoves) return std::nullopt;
  view.limits = limits_of(pair, residual, is_axis_low);
  view.begin = kInfinity;
  for (const Limit& one : view.limits) view.begin = std::min(view.begin, one.at);
  const auto slope = usual_slope(view.limits, view.begin, window_ns);
  if (!slope) return std::nullopt;
  view.slope = *slope;
  for (const Corridor& one : corridors_of(view.limits, view.begin, window_ns, view.slope))
    if (one.has_both() && one.is_clean()) view.clean.push_back(one);
  if (view.clean.size() <= kFewestMoves) return std::nullopt;
  const std::size_t moves = view.clean.size() - 1;
  // How far it has moved at least: more than the widths allow.
  const auto excess = [&](std::size_t k) {
    const Corridor &one = view.clean[k], &next = view.clean[k + 1];
    return std::abs(next.middle() - one.middle()) - (one.upper - one.lower + next.upper - next.lower) / 2;
  };
  view.steps.assign(moves, false);
  for (std::size_t k = 0; k < moves; ++k) {
    double least = kLeastStepNs + kWander * (view.clean[k + 1].at - view.clean[k].at);
    for (std::size_t q = k >= kAround ? k - kAround : 0; q <= std::min(k + kAround, moves - 1); ++q)
      if (q != k) least = std::max(least, kIsolated * excess(q));
    view.steps[k] = excess(k) > least;
  }
  return view;
}

/// A step as one partner of the clock that was set sees it.
struct Sighting {
  std::uint32_t pair = 0;
  double from = 0, to = 0;  ///< middles of the corridors before and after it
  double doubt_ns = kInfinity;
};

bool are_together(const Sighting& a, const Sighting& b, double apart_ns) {
  return a.from <= b.to + apart_ns && b.from <= a.to + apart_ns;
}

struct Suspect {
  std::uint32_t domain = 0;
  double share = 0;  ///< of the partners
  std::vector<Sighting> sightings;
};

struct Line {
  double begin = 0, value = 0, slope = 0;
  double operator()(double t) const { return value + slope * (t - begin); }
};

/// What one partner says of a step: the line on which the clock lies before it, and how far off after it.
struct Step {
  Line line;
  double size = 0;
  double from = 0, to = 0;  // windows that are surely on either side
  std::vector<Limit> limits;
};

class StepFinder {
 public:
  StepFinder(const ClockSamples& samples, ClockResidual& residual, std::size_t reference)
      : samples_{samples}, residual_{residual}, reference_{reference} {}

  std::size_t run() {
    std::size_t found = 0;
    for (std::size_t i = 0; i < kMostSteps; ++i) {
      const std::vector<Suspect> suspects = find_suspects();
      if (suspects.empty()) break;
      for (const Suspect& suspect : suspects)
        looked_at_.insert(looked_at_.end(), suspect.sightings.begin(), suspect.sightings.end());
      for (const Suspect& suspect : suspects) {
        if (!add_step(suspect)) continue;
        ++found;
        break;
      }
    }
    return found;
  }

 private:
  /// Whether a message from or to a domain is received much too early for the lines of before.
  bool is_contradicted(std::uint32_t domain, double most_ns) const {
    for (const PairSamples& pair : samples_.pairs()) {
      if (pair.low != domain && pair.high != domain) continue;
      for (int direction = 0; direction < 2; ++direction) {
        ClockSpare spare{residual_, pair.from(direction), pair.to(direction)};
        for (const ClockPoint& point : pair.sides[direction].points())
          if (spare(point).slack_ns < -most_ns) return true;
      }
    }
    return false;
  }

  /// Whether no partner contradicts that the clock was set by so much: one that sees no step may not see well.
  bool may_be_set(std::uint32_t domain, const Step& step) const {
    for (const PairSamples& pair : samples_.pairs()) {
      if (pair.low != domain && pair.high != domain) continue;
      const auto view = look(samples_, pair, residual_, pair.low != domain);
      if (!view) continue;
      const auto after = std::ranges::lower_bound(view->clean, step.to, {}, &Corridor::at);
      auto before = std::ranges::lower_bound(view->clean, step.from, {}, &Corridor::at);
      if (after == view->clean.end() || before == view->clean.begin()) continue;
      --before;
      const double width = (before->upper - before->lower + after->upper - after->lower) / 2;
      const double doubt = width + kLeastStepNs + kWander * (after->at - before->at);
      if (std::abs(after->middle() - before->middle() - step.size) > doubt) return false;
    }
    return true;
  }

  static std::vector<std::size_t> largest_steps(const View& view) {
    std::vector<std::size_t> steps;
    for (std::size_t k = 0; k < view.steps.size(); ++k)
      if (view.steps[k]) steps.push_back(k);
    std::ranges::stable_sort(steps, std::ranges::greater{}, [&](std::size_t k) {
      return std::abs(view.clean[k + 1].middle() - view.clean[k].middle());
    });
    if (steps.size() > kMostOfAPair) steps.resize(kMostOfAPair);
    return steps;
  }

  /// Domains of which at least half of the partners see a step at one time, of the time at which most do.
  std::vector<Suspect> find_suspects() const {
    std::vector<std::vector<Sighting>> seen(residual_.domains);
    std::vector<std::size_t> partners(residual_.domains, 0);
    for (std::uint32_t e = 0; e < samples_.pairs().size(); ++e) {
      const PairSamples& pair = samples_.pairs()[e];
      const auto view = look(samples_, pair, residual_, true);
      if (!view) continue;
      for (const std::uint32_t domain : {pair.low, pair.high}) ++partners[domain];
      for (const std::size_t k : largest_steps(*view)) {
        const Corridor &one = view->clean[k], &next = view->clean[k + 1];
        const Sighting sighting{e, one.at, next.at, one.upper - one.lower + next.upper - next.lower};
        const bool is_known = std::ranges::any_of(looked_at_, [&](const Sighting& known) {
          return known.pair == e && are_together(known, sighting, window_ns());
        });
        if (is_known) continue;
        for (const std::uint32_t domain : {pair.low, pair.high}) seen[domain].push_back(sighting);
      }
    }
    std::vector<Suspect> suspects;
    for (std::uint32_t h = 0; h < residual_.domains; ++h) {
      Suspect best{h, 0, {}};
      for (const Sighting& first : seen[h]) {
        Suspect suspect{h, 0, {}};
        for (const Sighting& other : seen[h]) {
          const bool is_known =
              std::ranges::any_of(suspect.sightings, [&](const Sighting& known) { return known.pair == other.pair; });
          if (are_together(first, other, 0) && !is_known) suspect.sightings.push_back(other);
        }
        suspect.share = static_cast<double>(suspect.sightings.size()) / static_cast<double>(partners[h]);
        if (suspect.share > best.share) best = std::move(suspect);
      }
      if (h != reference_ && best.share >= kFewestPartners) suspects.push_back(std::move(best));
    }
    std::ranges::stable_sort(suspects, [](const Suspect& a, const Suspect& b) {
      return a.share != b.share ? a.share > b.share : a.sightings.size() > b.sightings.size();
    });
    std::erase_if(suspects, [first = suspects.empty() ? Sighting{} : suspects.front().sightings.front(),
                             this](const Suspect& one) {
      return std::ranges::none_of(one.sightings,
                                  [&](const Sighting& other) { return are_together(first, other, window_ns()); });
    });
    if (suspects.size() > kMostSuspects) suspects.resize(kMostSuspects);
    return suspects;
  }

  std::optional<Step> step_of(std::uint32_t domain, const Sighting& sighting) const {
    const PairSamples& pair = samples_.pairs()[sighting.pair];
    auto view = look(samples_, pair, residual_, pair.low != domain);
    if (!view) return std::nullopt;
    const std::vector<Corridor>& clean = view->clean;
    std::size_t step = view->steps.size();
    for (std::size_t k = 0; k < view->steps.size(); ++k)
      if (view->steps[k] && clean[k].at < sighting.to + window_ns() && clean[k + 1].at > sighting.from - window_ns())
        step = k;
    if (step == view->steps.size()) return std::nullopt;
    // The longer side of the step, up to the next one there, has the slope.
    std::size_t first = step, last = step + 1;
    while (first > 0 && !view->steps[first - 1]) --first;
    while (last + 1 < clean.size() && !view->steps[last]) ++last;
    const bool is_before_longer = clean[step].at - clean[first].at >= clean[last].at - clean[step + 1].at;
    const double bend = is_before_longer ? slope_of(clean, first, step) : slope_of(clean, step + 1, last);
    const double moment = (clean[step].at + clean[step + 1].at) / 2;
    const auto value_of = [&](std::size_t begin, std::size_t end) {
      std::vector<double> values;
      for (std::size_t k = begin; k <= end; ++k) values.push_back(clean[k].middle() + bend * (moment - clean[k].at));
      return median(std::move(values));
    };
    const double before = value_of(step - std::min(step - first, kNearby - 1), step);
    const double after = value_of(step + 1, std::min(last, step + kNearby));
    const double trend = view->slope * (moment - view->begin);
    return Step{{moment, before + trend, view->slope + bend},
                after - before,
                clean[step].at - window_ns(),
                clean[step + 1].at + window_ns(),
                std::move(view->limits)};
  }

  double window_ns() const { return static_cast<double>(samples_.window_ns()); }

  /// Between the first and the last quarter of some corridors.
  static double slope_of(const std::vector<Corridor>& clean, std::size_t first, std::size_t last) {
    const std::size_t quarter = (last - first + 1) / 4;
    if (quarter == 0) return 0;
    std::vector<double> values[2], times[2];
    for (std::size_t i = 0; i < quarter; ++i)
      for (const bool is_last : {false, true}) {
        const Corridor& one = clean[is_last ? last - i : first + i];
        values[is_last].push_back(one.middle());
        times[is_last].push_back(one.at);
      }
    const double way = median(std::move(times[1])) - median(std::move(times[0]));
    return way > 0 ? (median(std::move(values[1])) - median(std::move(values[0]))) / way : 0;
  }

  /// Takes the step out, as the partner that knows it best has it, between the stamps between which it lies as all have
  /// it; false: it cannot be told, or partners contradict each other.
  bool add_step(const Suspect& suspect) {
    double last_before = -kInfinity, first_after = kInfinity, least_doubt = kInfinity;
    Step best;
    for (const Sighting& sighting : suspect.sightings) {
      std::optional<Step> step = step_of(suspect.domain, sighting);
      if (!step) continue;
      const double sure = kSurely * std::abs(step->size);
      for (const Limit& one : step->limits) {
        if (one.at < step->from || one.at > step->to) continue;
        const auto contradiction = [&](double value) { return one.is_upper ? value - one.value : one.value - value; };
        if (contradiction(step->line(one.at) + step->size) > sure)
          last_before = std::max(last_before, one.other_raw_ns);
        if (contradiction(step->line(one.at)) > sure) first_after = std::min(first_after, one.other_raw_ns);
      }
      if (sighting.doubt_ns >= least_doubt) continue;
      least_doubt = sighting.doubt_ns;
      best = std::move(*step);
    }
    const double size = best.size;
    const Line& line = best.line;
    if (std::abs(size) > kMostRuns * length_of(residual_) || std::abs(line.slope) > kMostSlope) return false;
    if (!std::isfinite(last_before) || !std::isfinite(first_after)) return false;
    if (last_before >= first_after + std::max(0.0, -size) || !may_be_set(suspect.domain, best)) return false;
    if (!is_contradicted(suspect.domain, kSurely / 2 * std::abs(size))) return false;
    const std::uint32_t h = suspect.domain;
    if (size > 0) {
      residual_.jumps[h].push_back({(last_before + first_after) / 2, size, last_before, first_after});
    } else {
      // Times that come twice: not before the last one before, less the step; not after the first one after, and it.
      const double way = std::abs(size);
      residual_.jumps[h].push_back({first_after, size, first_after + way, last_before - way});
    }
    std::ranges::sort(residual_.jumps[h], {}, &ClockJump::at_ns);
    // A clock that was set backwards goes on beyond the last stamp.
    residual_ = residual_.resampled(residual_.begin_ns, residual_.step_ns + std::max(0.0, -size), residual_.knots);
    // What is `line` ahead at a time of the partner: as a function of the clock's own time.
    const double alpha = line.value - line.slope * line.begin;
    for (std::size_t k = 0; k < residual_.knots; ++k) {
      const double own = residual_.knot_ns(k) + residual_.knot(h, k);
      residual_.knot(h, k) -= (alpha + line.slope * own) / (1 + line.slope);
    }
    return true;
  }

  const ClockSamples& samples_;
  ClockResidual& residual_;
  std::size_t reference_;
  std::vector<Sighting> looked_at_;
};

}  // namespace

std::size_t find_steps(const ClockSamples& samples, ClockResidual& residual, std::size_t reference) {
  return StepFinder{samples, residual, reference}.run();
}

}  // namespace meridian
