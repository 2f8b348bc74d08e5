// SPDX-License-Identifier: Apache-2.0
#include "merger/clocks/steps/clock_steps.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "merger/clocks/samples/clock_constraints.hpp"
#include "merger/clocks/steps/clock_views.hpp"
#include "merger/clocks/steps/offset_line.hpp"
#include "merger/model/clock_tuning.hpp"
#include "trace/model/units.hpp"

namespace meridian {
namespace {

double length_of(const ClockCorrection& correction) {
  return correction.spacing_ns * static_cast<double>(correction.knots - 1);
}

/// A clock step of one domain as a partner sees it, on the partner's time.
struct Sighting {
  std::uint32_t pair = 0;
  std::uint32_t partner = 0;
  double from = 0, to = 0;  ///< middles of the corridors before and after it
  double size_ns = 0;
  double window_ns = 0;  ///< of the view
};

bool are_together(const Sighting& a, const Sighting& b, double apart_ns) {
  return a.from <= b.to + apart_ns && b.from <= a.to + apart_ns;
}

/// The largest steps of a view.
std::vector<Sighting> sightings_of(const ClockView& view, std::uint32_t pair, std::uint32_t partner) {
  std::vector<Sighting> all;
  for (std::size_t k = 0; k < view.steps.size(); ++k) {
    const ClockCorridor &one = view.clean[k], &next = view.clean[k + 1];
    if (view.steps[k]) all.push_back({pair, partner, one.at, next.at, next.middle() - one.middle(), view.window_ns});
  }
  std::ranges::stable_sort(all, std::ranges::greater{}, [](const Sighting& one) { return std::abs(one.size_ns); });
  if (all.size() > ClockTuning::kMostStepsOfAPair) all.resize(ClockTuning::kMostStepsOfAPair);
  return all;
}

struct Suspect {
  std::uint32_t domain = 0;
  double share = 0;  ///< share of the partners that see it
  std::vector<Sighting> sightings;
};

/// One partner's estimate of a clock step: the line that the clock follows before it, and the offset after it.
struct Step {
  OffsetLine line;
  double size = 0, doubt_ns = 0;
  double from = 0, to = 0;  // windows that are certainly on either side
  std::vector<ClockLimit> limits;
};

class StepFinder {
 public:
  StepFinder(const ClockSamples& samples, ClockCorrection& correction, std::size_t reference)
      : samples_{samples},
        collectives_{samples},
        correction_{correction},
        reference_{reference},
        seen_(samples.pairs().size()),
        pairs_of_(correction.domains) {
    for (std::uint32_t e = 0; e < samples.pairs().size(); ++e)
      for (const std::uint32_t domain : {samples.pairs()[e].low, samples.pairs()[e].high})
        pairs_of_[domain].push_back(e);
  }

  std::size_t run() {
    std::size_t found = 0;
    for (std::size_t i = 0; i < ClockTuning::kMostLooks && found < ClockTuning::kMostSteps; ++i) {
      look();
      const std::vector<Suspect> suspects = find_suspects();
      if (suspects.empty()) break;
      for (std::size_t s = 0; s < std::min(suspects.size(), ClockTuning::kMostSuspects); ++s) {
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
  /// The view of a pair: [1 if the higher domain stepped].
  struct Seen {
    bool is_known = false;
    bool has_view = false;
    bool is_wide = false;  ///< from collectives too, in wider windows
    std::vector<Sighting> sightings[2];
  };

  std::optional<ClockView> view(std::uint32_t pair, std::uint32_t domain) const {
    const PairSamples& both = samples_.pairs()[pair];
    return view_of(samples_, seen_[pair].is_wide ? &collectives_ : nullptr, both, correction_, both.low != domain);
  }
  std::uint32_t partner_of(std::uint32_t pair, std::uint32_t domain) const {
    const PairSamples& both = samples_.pairs()[pair];
    return both.low == domain ? both.high : both.low;
  }

  /// Looks at all pairs that the removal of a step has changed: in wide windows, if one of the domains has no view of
  /// its messages.
  void look() {
    std::vector<bool> is_new(seen_.size()), has_near(correction_.domains);
    for (std::uint32_t e = 0; e < seen_.size(); ++e) {
      is_new[e] = !seen_[e].is_known;
      if (is_new[e]) look_at(e, false);
      if (seen_[e].has_view && !seen_[e].is_wide)
        has_near[samples_.pairs()[e].low] = has_near[samples_.pairs()[e].high] = true;
    }
    for (std::uint32_t e = 0; e < seen_.size(); ++e)
      if (is_new[e] && !seen_[e].has_view && !(has_near[samples_.pairs()[e].low] && has_near[samples_.pairs()[e].high]))
        look_at(e, true);
  }

  void look_at(std::uint32_t pair, bool is_wide) {
    Seen& seen = seen_[pair];
    seen = {true, false, is_wide, {}};
    for (const bool is_high : {false, true}) {
      const std::uint32_t domain = is_high ? samples_.pairs()[pair].high : samples_.pairs()[pair].low;
      const auto one = view(pair, domain);
      if (!one) continue;
      seen.has_view = true;
      seen.sightings[is_high] = sightings_of(*one, pair, partner_of(pair, domain));
    }
  }

  /// Whether a message from or to a domain is received much too early on the present lines, or a collective left.
  bool is_contradicted(std::uint32_t domain, double most_ns) const {
    for (const std::uint32_t e : pairs_of_[domain]) {
      const PairSamples& pair = samples_.pairs()[e];
      const auto is_too_early = [&](const ClockConstraint& one, const ClockPoint&) {
        return one.slack_ns < -most_ns ? Visited::stop : Visited::next;
      };
      for (const int direction : {0, 1})
        if (!for_each_message(pair, direction, correction_, is_too_early)) return true;
      bool is_left_early = false;
      for_each_wait_between(collectives_, pair, correction_, [&](const ClockConstraint& one, double, double) {
        is_left_early |= one.slack_ns < -most_ns;
      });
      if (is_left_early) return true;
    }
    return false;
  }

  /// Whether no partner contradicts the size of a step. A partner that sees no step may just have wide corridors.
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
      const double doubt = width + ClockTuning::kLeastStepNs + ClockTuning::kWander * (after->at - before->at);
      if (std::abs(after->middle() - before->middle() - step.size) > doubt) return false;
    }
    return true;
  }

  /// Domains with enough partners that see a step at one time; for each, the time at which most do.
  std::vector<Suspect> find_suspects() const {
    std::vector<Suspect> suspects;
    for (std::uint32_t h = 0; h < correction_.domains; ++h) {
      std::vector<Sighting> seen;
      std::size_t partners = 0;
      for (const std::uint32_t e : pairs_of_[h]) {
        partners += seen_[e].has_view;
        for (const Sighting& one : seen_[e].sightings[samples_.pairs()[e].high == h]) {
          const bool is_known = std::ranges::any_of(looked_at_, [&](const Sighting& known) {
            return known.pair == e && known.partner == one.partner && are_together(known, one, one.window_ns);
          });
          if (!is_known) seen.push_back(one);
        }
      }
      Suspect best{h, 0, {}};
      std::size_t most = 0;
      const Sighting* first_of_best = nullptr;
      for (const Sighting& first : seen) {
        std::size_t count = 0;
        std::uint32_t last = 0xffffffff;  // sightings of a pair are adjacent
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
      if (best.share >= ClockTuning::kFewestPartners || best.sightings.size() >= ClockTuning::kEnoughPartners)
        suspects.push_back(std::move(best));
    }
    std::ranges::stable_sort(suspects, [this](const Suspect& a, const Suspect& b) {
      if (a.share != b.share) return a.share > b.share;
      if (a.sightings.size() != b.sightings.size()) return a.sightings.size() > b.sightings.size();
      return a.domain != reference_ && b.domain == reference_;
    });
    std::erase_if(suspects,
                  [first = suspects.empty() ? Sighting{} : suspects.front().sightings.front()](const Suspect& one) {
                    return std::ranges::none_of(one.sightings, [&](const Sighting& other) {
                      return are_together(first, other, first.window_ns + std::abs(first.size_ns));
                    });
                  });
    return suspects;
  }

  /// Partners that seem to have stepped at the same time, unless all of them do.
  static std::vector<std::uint32_t> unreliable_for(const Suspect& suspect, const std::vector<Suspect>& suspects) {
    std::vector<std::uint32_t> unreliable;
    for (const Suspect& other : suspects)
      if (other.domain != suspect.domain && other.share >= suspect.share) unreliable.push_back(other.domain);
    const bool is_alone = std::ranges::all_of(suspect.sightings, [&](const Sighting& one) {
      return std::ranges::find(unreliable, one.partner) != unreliable.end();
    });
    return is_alone ? std::vector<std::uint32_t>{} : unreliable;
  }

  /// If all partners seem to have stepped at the same time, only the reference is taken not to have. Returns the other
  /// partners; empty if the reference is not a partner, or some partner did not step.
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
      if (seen->steps[k] && clean[k].at < sighting.to + seen->window_ns &&
          clean[k + 1].at > sighting.from - seen->window_ns)
        step = k;
    if (step == seen->steps.size()) return std::nullopt;
    // The slope is measured on the longer side of the step, up to the next step there.
    std::size_t first = step, last = step + 1;
    while (first > 0 && !seen->steps[first - 1]) --first;
    while (last + 1 < clean.size() && !seen->steps[last]) ++last;
    const bool is_before_longer = clean[step].at - clean[first].at >= clean[last].at - clean[step + 1].at;
    const double bend = is_before_longer ? slope_of(clean, first, step) : slope_of(clean, step + 1, last);
    const double moment = (clean[step].at + clean[step + 1].at) / 2;
    // The slope next to the step is used instead if corridors are narrow enough to determine it.
    const auto beside = [&](std::size_t nearest, std::size_t farthest) {
      const auto [begin, end] = std::minmax(nearest, farthest);
      const double way = clean[end].at - clean[begin].at;
      const bool is_told = end - begin >= ClockTuning::kFewestForSlope &&
                           usual_width(clean, begin, end - begin) < ClockTuning::kSlopeDoubt * way;
      const std::size_t count = std::min(end - begin, is_told ? ClockTuning::kNearby : ClockTuning::kBeside);
      return common_corridor(clean, nearest, nearest < farthest ? nearest + count : nearest - count,
                             is_told ? slope_of(clean, begin, end) : bend, moment);
    };
    const ClockCorridor before = beside(step, step - std::min(step - first, ClockTuning::kBeside));
    const ClockCorridor after = beside(step + 1, std::min(last, step + 1 + ClockTuning::kBeside));
    const double trend = seen->slope * (moment - seen->begin);
    return Step{{moment, before.middle() + trend, seen->slope + bend},
                after.middle() - before.middle(),
                before.width() + after.width() + ClockTuning::kSlowWander * (clean[step + 1].at - clean[step].at),
                clean[step].at - seen->window_ns,
                clean[step + 1].at + seen->window_ns,
                std::move(seen->limits)};
  }

  /// Removes a step, with the size that the partner with the least doubt sees, between the closest stamps that any
  /// partner places before and after it. Returns false if the step is not determined, or partners contradict each
  /// other.
  bool add_step(const Suspect& suspect, const std::vector<std::uint32_t>& unreliable) {
    double last_before = -kInfinity, first_after = kInfinity, least_doubt = kInfinity;
    Step best;
    for (const Sighting& sighting : suspect.sightings) {
      if (std::ranges::find(unreliable, sighting.partner) != unreliable.end()) continue;
      std::optional<Step> step = step_of(suspect.domain, sighting);
      if (!step) continue;
      const double sure = ClockTuning::kSurely * std::abs(step->size);
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
    // Converted to the first line, whose slope changed when earlier steps were removed.
    const double size = best.size / (1 + (correction_.knot(h, 1) - correction_.knot(h, 0)) / correction_.spacing_ns);
    if (std::abs(size) > ClockTuning::kMostRuns * length_of(correction_) ||
        best.line.slope > ClockTuning::kMostSlope - 1 || best.line.slope < 1 / ClockTuning::kMostSlope - 1)
      return false;
    if (!std::isfinite(last_before) || !std::isfinite(first_after)) return false;
    if (last_before >= first_after + std::max(0.0, -size) || !may_be_set(h, best, unreliable)) return false;
    if (!is_contradicted(h, ClockTuning::kSurely / 2 * std::abs(size))) return false;
    if (last_before < first_after) {
      // The clock was set forwards, or stood still: no time occurs twice.
      correction_.steps[h].push_back({(last_before + first_after) / 2, size, last_before, first_after});
    } else {
      // Some times occur twice: none below last_before less the step, and none above first_after plus the step.
      const double way = std::abs(size);
      correction_.steps[h].push_back({first_after, size, first_after + way, last_before - way});
    }
    std::ranges::sort(correction_.steps[h], {}, &ClockStep::at_ns);
    // Without its step, a clock that was set backwards runs past the last stamp.
    correction_ =
        correction_.resampled(correction_.begin_ns, correction_.spacing_ns + std::max(0.0, -size), correction_.knots);
    straighten(h, best.line);
    return true;
  }

  /// Subtracts `line` from a clock, as a function of the time of the others. For the reference, all others move
  /// instead.
  void straighten(std::uint32_t domain, const OffsetLine& line) {
    const double alpha = line.value - line.slope * line.begin;
    for (std::uint32_t h = 0; h < correction_.domains; ++h)
      for (std::size_t k = 0; k < correction_.knots; ++k) {
        const double own = correction_.knot_ns(k) + correction_.knot(h, k);
        if (domain != reference_ && h == domain)
          correction_.knot(h, k) -= (alpha + line.slope * own) / (1 + line.slope);
        if (domain == reference_ && h != domain) correction_.knot(h, k) += alpha + line.slope * own;
      }
    for (std::uint32_t e = 0; e < seen_.size(); ++e)
      if (domain == reference_ || samples_.pairs()[e].low == domain || samples_.pairs()[e].high == domain)
        seen_[e].is_known = false;
  }

  const ClockSamples& samples_;
  CollectivesOfDomains collectives_;
  ClockCorrection& correction_;
  std::size_t reference_;
  std::vector<Seen> seen_;                            // [pairs]
  std::vector<std::vector<std::uint32_t>> pairs_of_;  // [domains]
  std::vector<Sighting> looked_at_;
};

}  // namespace

std::size_t find_steps(const ClockSamples& samples, ClockCorrection& correction, std::size_t reference) {
  return StepFinder{samples, correction, reference}.run();
}

}  // namespace meridian
