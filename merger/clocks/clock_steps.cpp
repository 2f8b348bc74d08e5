#include "merger/clocks/clock_steps.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "merger/clocks/clock_spare.hpp"
#include "merger/clocks/clock_views.hpp"

namespace meridian {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kFewestPartners = 0.5;  // share of a domain's partners that have to see it
constexpr std::size_t kEnoughPartners = 3;
constexpr double kSurely = 0.25;  // of a step: a message that contradicts one side of it by so much is on the other
constexpr std::size_t kMostSteps = 16;
constexpr std::size_t kMostLooks = 48;
constexpr std::size_t kMostOfAPair = 8;   // steps that one pair sees, the largest
constexpr double kMostRuns = 4;           // as long as the run: a step
constexpr double kMostSlope = 20;         // of a first line that is none: so much quicker, or slower
constexpr std::size_t kMostSuspects = 4;  // for one step
constexpr std::size_t kNearby = 4;        // windows beside a step that tell its size
constexpr std::size_t kBeside = 32;       // windows beside a step that tell the slope there
constexpr std::size_t kFewestForSlope = 16;
constexpr double kSlopeDoubt = 1e-6;

double length_of(const ClockResidual& residual) { return residual.step_ns * static_cast<double>(residual.knots - 1); }

/// A step of one domain as a partner sees it, on the partner's time.
struct Sighting {
  std::uint32_t pair = 0;
  std::uint32_t partner = 0;
  double from = 0, to = 0;  ///< middles of the corridors before and after it
  double size_ns = 0;
};

bool are_together(const Sighting& a, const Sighting& b, double apart_ns) {
  return a.from <= b.to + apart_ns && b.from <= a.to + apart_ns;
}

/// The largest steps of a view.
std::vector<Sighting> sightings_of(const ClockView& view, std::uint32_t pair, std::uint32_t partner) {
  std::vector<Sighting> all;
  for (std::size_t k = 0; k < view.steps.size(); ++k) {
    const ClockCorridor &one = view.clean[k], &next = view.clean[k + 1];
    if (view.steps[k]) all.push_back({pair, partner, one.at, next.at, next.middle() - one.middle()});
  }
  std::ranges::stable_sort(all, std::ranges::greater{}, [](const Sighting& one) { return std::abs(one.size_ns); });
  if (all.size() > kMostOfAPair) all.resize(kMostOfAPair);
  return all;
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
  double size = 0, doubt_ns = 0;
  double from = 0, to = 0;  // windows that are surely on either side
  std::vector<ClockLimit> limits;
};

class StepFinder {
 public:
  StepFinder(const ClockSamples& samples, ClockResidual& residual, std::size_t reference)
      : samples_{samples},
        residual_{residual},
        reference_{reference},
        seen_(samples.pairs().size()),
        pairs_of_(residual.domains) {
    for (std::uint32_t e = 0; e < samples.pairs().size(); ++e)
      for (const std::uint32_t domain : {samples.pairs()[e].low, samples.pairs()[e].high})
        pairs_of_[domain].push_back(e);
  }

  std::size_t run() {
    std::size_t found = 0;
    for (std::size_t i = 0; i < kMostLooks && found < kMostSteps; ++i) {
      look();
      const std::vector<Suspect> suspects = find_suspects();
      if (suspects.empty()) break;
      for (std::size_t s = 0; s < std::min(suspects.size(), kMostSuspects); ++s) {
        const Suspect& suspect = suspects[s];
        looked_at_.insert(looked_at_.end(), suspect.sightings.begin(), suspect.sightings.end());
        bool is_added = add_step(suspect, unreliable_for(suspect, suspects));
        if (const auto others = all_but_reference(suspect, suspects); !is_added && !others.empty())
          is_added = add_step(suspect, others);
        if (!is_added) continue;
        ++found;
        break;
      }
    }
    return found;
  }

 private:
  /// What a pair sees: [whether the one that was set is the higher one].
  struct Seen {
    bool is_known = false;
    bool has_view = false;
    std::vector<Sighting> sightings[2];
  };

  double window_ns() const { return static_cast<double>(samples_.window_ns()); }

  std::optional<ClockView> view(std::uint32_t pair, std::uint32_t domain) const {
    const PairSamples& both = samples_.pairs()[pair];
    return view_of(samples_, both, residual_, both.low != domain);
  }
  std::uint32_t partner_of(std::uint32_t pair, std::uint32_t domain) const {
    const PairSamples& both = samples_.pairs()[pair];
    return both.low == domain ? both.high : both.low;
  }

  /// At all pairs that a step has changed.
  void look() {
    for (std::uint32_t e = 0; e < seen_.size(); ++e) {
      Seen& seen = seen_[e];
      if (seen.is_known) continue;
      seen = {true, false, {}};
      for (const bool is_high : {false, true}) {
        const std::uint32_t domain = is_high ? samples_.pairs()[e].high : samples_.pairs()[e].low;
        const auto one = view(e, domain);
        if (!one) continue;
        seen.has_view = true;
        seen.sightings[is_high] = sightings_of(*one, e, partner_of(e, domain));
      }
    }
  }

  /// Whether a message from or to a domain is received much too early for the lines of before.
  bool is_contradicted(std::uint32_t domain, double most_ns) const {
    for (const std::uint32_t e : pairs_of_[domain]) {
      const PairSamples& pair = samples_.pairs()[e];
      for (int direction = 0; direction < 2; ++direction) {
        ClockSpare spare{residual_, pair.from(direction), pair.to(direction)};
        for (const ClockPoint& point : pair.sides[direction].points())
          if (spare(point).slack_ns < -most_ns) return true;
      }
    }
    return false;
  }

  /// Whether no partner contradicts that the clock was set by so much: one that sees no step may not see well.
  bool may_be_set(std::uint32_t domain, const Step& step, const std::vector<std::uint32_t>& unreliable) const {
    for (const std::uint32_t e : pairs_of_[domain]) {
      if (!seen_[e].has_view || std::ranges::find(unreliable, partner_of(e, domain)) != unreliable.end()) continue;
      const auto seen = view(e, domain);
      if (!seen) continue;
      const auto after = std::ranges::lower_bound(seen->clean, step.to, {}, &ClockCorridor::at);
      auto before = std::ranges::lower_bound(seen->clean, step.from, {}, &ClockCorridor::at);
      if (after == seen->clean.end() || before == seen->clean.begin()) continue;
      --before;
      const double width = (before->width() + after->width()) / 2;
      const double doubt = width + ClockView::kLeastStepNs + ClockView::kWander * (after->at - before->at);
      if (std::abs(after->middle() - before->middle() - step.size) > doubt) return false;
    }
    return true;
  }

  /// Domains of which at least half of the partners see a step at one time, of the time at which most do.
  std::vector<Suspect> find_suspects() const {
    std::vector<Suspect> suspects;
    for (std::uint32_t h = 0; h < residual_.domains; ++h) {
      std::vector<Sighting> seen;
      std::size_t partners = 0;
      for (const std::uint32_t e : pairs_of_[h]) {
        partners += seen_[e].has_view;
        for (const Sighting& one : seen_[e].sightings[samples_.pairs()[e].high == h]) {
          const bool is_known = std::ranges::any_of(looked_at_, [&](const Sighting& known) {
            return known.pair == e && known.partner == one.partner && are_together(known, one, window_ns());
          });
          if (!is_known) seen.push_back(one);
        }
      }
      Suspect best{h, 0, {}};
      std::size_t most = 0;
      const Sighting* first_of_best = nullptr;
      for (const Sighting& first : seen) {
        std::size_t count = 0;
        std::uint32_t last = 0xffffffff;  // those of a pair follow one another
        for (const Sighting& other : seen)
          if (other.pair != last && are_together(first, other, 0)) ++count, last = other.pair;
        if (count > most) most = count, first_of_best = &first;
      }
      if (first_of_best == nullptr) continue;
      for (const Sighting& other : seen)
        if (are_together(*first_of_best, other, 0) &&
            (best.sightings.empty() || best.sightings.back().pair != other.pair))
          best.sightings.push_back(other);
      best.share = static_cast<double>(best.sightings.size()) / static_cast<double>(partners);
      if (best.share >= kFewestPartners || best.sightings.size() >= kEnoughPartners)
        suspects.push_back(std::move(best));
    }
    std::ranges::stable_sort(suspects, [this](const Suspect& a, const Suspect& b) {
      if (a.share != b.share) return a.share > b.share;
      if (a.sightings.size() != b.sightings.size()) return a.sightings.size() > b.sightings.size();
      return a.domain != reference_ && b.domain == reference_;
    });
    std::erase_if(suspects, [first = suspects.empty() ? Sighting{} : suspects.front().sightings.front(),
                             this](const Suspect& one) {
      return std::ranges::none_of(one.sightings, [&](const Sighting& other) {
        return are_together(first, other, window_ns() + std::abs(first.size_ns));
      });
    });
    return suspects;
  }

  /// Partners that seem to have been set at the same time, unless all do.
  static std::vector<std::uint32_t> unreliable_for(const Suspect& suspect, const std::vector<Suspect>& suspects) {
    std::vector<std::uint32_t> unreliable;
    for (const Suspect& other : suspects)
      if (other.domain != suspect.domain && other.share >= suspect.share) unreliable.push_back(other.domain);
    const bool is_alone = std::ranges::all_of(suspect.sightings, [&](const Sighting& one) {
      return std::ranges::find(unreliable, one.partner) != unreliable.end();
    });
    return is_alone ? std::vector<std::uint32_t>{} : unreliable;
  }

  /// Where all partners seem to have been set at the same time, the reference is the one that was not. Empty: it is
  /// not among them, or some were not.
  std::vector<std::uint32_t> all_but_reference(const Suspect& suspect, const std::vector<Suspect>& suspects) const {
    std::vector<std::uint32_t> others;
    bool is_among = false;
    for (const std::uint32_t e : pairs_of_[suspect.domain]) {
      const std::uint32_t partner = partner_of(e, suspect.domain);
      const auto own = std::ranges::find(suspects, partner, &Suspect::domain);
      if (seen_[e].has_view && (own == suspects.end() || own->share < 1)) return {};
      is_among |= partner == reference_;
      if (partner != reference_) others.push_back(partner);
    }
    return is_among ? others : std::vector<std::uint32_t>{};
  }

  std::optional<Step> step_of(std::uint32_t domain, const Sighting& sighting) const {
    auto seen = view(sighting.pair, domain);
    if (!seen) return std::nullopt;
    const std::vector<ClockCorridor>& clean = seen->clean;
    std::size_t step = seen->steps.size();
    for (std::size_t k = 0; k < seen->steps.size(); ++k)
      if (seen->steps[k] && clean[k].at < sighting.to + window_ns() && clean[k + 1].at > sighting.from - window_ns())
        step = k;
    if (step == seen->steps.size()) return std::nullopt;
    // The longer side of the step, up to the next one there, has the slope.
    std::size_t first = step, last = step + 1;
    while (first > 0 && !seen->steps[first - 1]) --first;
    while (last + 1 < clean.size() && !seen->steps[last]) ++last;
    const bool is_before_longer = clean[step].at - clean[first].at >= clean[last].at - clean[step + 1].at;
    const double bend = is_before_longer ? slope_of(clean, first, step) : slope_of(clean, step + 1, last);
    const double moment = (clean[step].at + clean[step + 1].at) / 2;
    // Nearby it may have another one, if corridors are narrow enough to tell.
    const auto beside = [&](std::size_t nearest, std::size_t farthest) {
      const auto [begin, end] = std::minmax(nearest, farthest);
      const double way = clean[end].at - clean[begin].at;
      const bool is_told = end - begin >= kFewestForSlope && usual_width(clean, begin, end - begin) < kSlopeDoubt * way;
      const std::size_t count = std::min(end - begin, is_told ? kNearby : kBeside);
      return common_corridor(clean, nearest, nearest < farthest ? nearest + count : nearest - count,
                             is_told ? slope_of(clean, begin, end) : bend, moment);
    };
    const ClockCorridor before = beside(step, step - std::min(step - first, kBeside));
    const ClockCorridor after = beside(step + 1, std::min(last, step + 1 + kBeside));
    const double trend = seen->slope * (moment - seen->begin);
    return Step{{moment, before.middle() + trend, seen->slope + bend},
                after.middle() - before.middle(),
                before.width() + after.width() + ClockView::kSlowWander * (clean[step + 1].at - clean[step].at),
                clean[step].at - window_ns(),
                clean[step + 1].at + window_ns(),
                std::move(seen->limits)};
  }

  /// Takes the step out, as the partner that knows it best has it, between the stamps between which it lies as all have
  /// it; false: it cannot be told, or partners contradict each other.
  bool add_step(const Suspect& suspect, const std::vector<std::uint32_t>& unreliable) {
    double last_before = -kInfinity, first_after = kInfinity, least_doubt = kInfinity;
    Step best;
    for (const Sighting& sighting : suspect.sightings) {
      if (std::ranges::find(unreliable, sighting.partner) != unreliable.end()) continue;
      std::optional<Step> step = step_of(suspect.domain, sighting);
      if (!step) continue;
      const double sure = kSurely * std::abs(step->size);
      for (const ClockLimit& one : step->limits) {
        if (one.at < step->from || one.at > step->to) continue;
        const auto contradiction = [&](double value) { return one.is_upper ? value - one.value : one.value - value; };
        if (contradiction(step->line(one.at) + step->size) > sure)
          last_before = std::max(last_before, one.other_raw_ns);
        if (contradiction(step->line(one.at)) > sure) first_after = std::min(first_after, one.other_raw_ns);
      }
      if (step->doubt_ns >= least_doubt) continue;
      least_doubt = step->doubt_ns;
      best = std::move(*step);
    }
    const std::uint32_t h = suspect.domain;
    // On the first line, which has been turned by steps that were found before.
    const double size = best.size / (1 + (residual_.knot(h, 1) - residual_.knot(h, 0)) / residual_.step_ns);
    if (std::abs(size) > kMostRuns * length_of(residual_) || best.line.slope > kMostSlope - 1 ||
        best.line.slope < 1 / kMostSlope - 1)
      return false;
    if (!std::isfinite(last_before) || !std::isfinite(first_after)) return false;
    if (last_before >= first_after + std::max(0.0, -size) || !may_be_set(h, best, unreliable)) return false;
    if (!is_contradicted(h, kSurely / 2 * std::abs(size))) return false;
    if (last_before < first_after) {
      // Forwards, or it stood still: no stamp comes twice.
      residual_.jumps[h].push_back({(last_before + first_after) / 2, size, last_before, first_after});
    } else {
      // Times that come twice: not before the last one before, less the step; not after the first one after, and it.
      const double way = std::abs(size);
      residual_.jumps[h].push_back({first_after, size, first_after + way, last_before - way});
    }
    std::ranges::sort(residual_.jumps[h], {}, &ClockJump::at_ns);
    // A clock that was set backwards goes on beyond the last stamp.
    residual_ = residual_.resampled(residual_.begin_ns, residual_.step_ns + std::max(0.0, -size), residual_.knots);
    straighten(h, best.line);
    return true;
  }

  /// Puts a clock, which is `line` ahead at a time of others, onto that time. The reference stays: all others move.
  void straighten(std::uint32_t domain, const Line& line) {
    const double alpha = line.value - line.slope * line.begin;
    for (std::uint32_t h = 0; h < residual_.domains; ++h)
      for (std::size_t k = 0; k < residual_.knots; ++k) {
        const double own = residual_.knot_ns(k) + residual_.knot(h, k);
        if (domain != reference_ && h == domain) residual_.knot(h, k) -= (alpha + line.slope * own) / (1 + line.slope);
        if (domain == reference_ && h != domain) residual_.knot(h, k) += alpha + line.slope * own;
      }
    for (std::uint32_t e = 0; e < seen_.size(); ++e)
      if (domain == reference_ || samples_.pairs()[e].low == domain || samples_.pairs()[e].high == domain)
        seen_[e].is_known = false;
  }

  const ClockSamples& samples_;
  ClockResidual& residual_;
  std::size_t reference_;
  std::vector<Seen> seen_;                            // [pairs]
  std::vector<std::vector<std::uint32_t>> pairs_of_;  // [domains]
  std::vector<Sighting> looked_at_;
};

}  // namespace

std::size_t find_steps(const ClockSamples& samples, ClockResidual& residual, std::size_t reference) {
  return StepFinder{samples, residual, reference}.run();
}

}  // namespace meridian
